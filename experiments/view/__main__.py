"""Serves the runs of a folder until it is stopped with Ctrl-C."""

import argparse
import socket
import sys
from pathlib import Path

import experiments.view

HOST, PORT = "127.0.0.1", 8765


def main(argv: list[str]) -> int:
    """Returns the exit code: 0 stopped, 2 what cannot be served."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.view",
        description=experiments.view.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, help="holds run folders, at any depth; or is one")
    parser.add_argument("--port", type=int, default=PORT, help="0 takes a free one (default: 8765)")
    options = parser.parse_args(argv)
    if not options.folder.is_dir():
        print(f"error: {options.folder} is no folder. Give that of a run, or of many, such as "
              "`runs`.", file=sys.stderr)  # fmt: skip
        return 2
    try:
        import plotly  # noqa: F401  # its JavaScript is served
        import uvicorn

        from experiments.view.server import make_app
    except ImportError as error:
        print(f"error: {error.name} is not installed. Install what the viewer needs: "
              "pip install -e '.[view]'", file=sys.stderr)  # fmt: skip
        return 2
    try:
        listener = listen(options.port)
    except (OSError, OverflowError) as error:
        print(f"error: port {options.port} of {HOST} cannot be used: {error}. Choose another one "
              "with --port, or 0 for any.", file=sys.stderr)  # fmt: skip
        return 2
    address = f"http://{HOST}:{listener.getsockname()[1]}/"
    print(f"What {options.folder} holds is at {address} (Ctrl-C ends)", flush=True)
    config = uvicorn.Config(make_app(options.folder), log_level="warning", server_header=False)
    uvicorn.Server(config).run(sockets=[listener])
    return 0


def listen(port: int) -> socket.socket:
    """A socket of this machine alone."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((HOST, port))
    listener.listen()
    return listener


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(0)
