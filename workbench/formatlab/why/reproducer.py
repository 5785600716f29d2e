def write(folder, search, trials, what):
    return []
def write_level(folder, model, feeds, level):
    pass
