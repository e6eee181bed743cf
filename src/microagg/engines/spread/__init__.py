"""Records that are spread: over files, processes or machines. One engine, over what every such place can do."""
