"""What is wrong with a class that is handed over."""


class ControllerError(ValueError):
    """A class that is no controller; one line that names it, the hook or the attribute, and what is wanted."""
