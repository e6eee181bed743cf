"""python -m fuzz --cases 2000: see `run`."""

from fuzz.run import main

if __name__ == "__main__":
    main()
