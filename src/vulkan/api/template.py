# SPDX-License-Identifier: MIT
"""Templates: text with ${expression} in it, and between its lines `% for ...:`, `% if ...:`, `% else:`, `% end` in Python."""
import re


def render(path, **names):
    """The text of the template `path`, whose expressions see `names`."""
    program, depth = ["def write(put):"], 1
    for number, line in enumerate(path.read_text().splitlines(keepends=True), 1):
        statement = re.fullmatch(r"\s*%\s+(.*?)\s*", line)
        if statement is None:
            for i, part in enumerate(re.split(r"\$\{(.*?)\}", line)):
                if part:
                    program.append("    " * depth + f"put({f'str({part})' if i % 2 else repr(part)})")
        elif statement[1] == "end":
            depth -= 1
        elif statement[1].endswith(":"):
            again = statement[1].startswith(("else", "elif"))
            program.append("    " * (depth - again) + statement[1])
            depth += not again
        else:
            raise SyntaxError(f"{path}:{number}: a statement is `for`, `if`, `elif`, `else` or `end`")
    text = []
    scope = dict(names)
    exec(compile("\n".join(program), str(path), "exec"), scope)
    scope["write"](text.append)
    return "".join(text)


def write_changed(path, text):
    """Writes a file whose text is another now: what depends on it stays built where it is the same."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
