"""The coordinator: intake, rebuild, run, check, record. It writes the marks, and never imports or
executes a student's material.
"""
