"""Options of the command line, each declared once; records of them are parameters of commands."""
