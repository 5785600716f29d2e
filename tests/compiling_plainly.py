# A kernel of the tests runs this before the first cell of a notebook that compiles with AOTInductor:
# torch precompiles its headers for later programs, which takes longer than the only one of the page
# does, and optimizes code that runs three times. It defines no name.
__import__("torch._inductor.config")._inductor.config.aot_inductor.precompile_headers = False
__import__("torch._inductor.config")._inductor.config.aot_inductor.compile_wrapper_opt_level = "O0"
