"""How a scan says how far it is."""


class Progress:
    """Told of a scan as it goes. The default says nothing; doors show it their own way."""

    def begin(self, size: int) -> None:
        """`size` bytes are to be read; not called where everything is stored already."""

    def advance(self, size: int, rows: int) -> None:
        """More bytes and rows were read."""

    def end(self) -> None:
        """The scan is over, whether well or not."""
