# SPDX-License-Identifier: MIT
"""Heddle's types in words, for a debugger. heddle_gdb.py and heddle_lldb.py give each value as a `View`."""


class View:
    """A value of the program that is debugged; one class of this form for each debugger."""

    def field(self, name):  # a member, as a View
        raise NotImplementedError

    def number(self):  # of an integer, a bool, an enumerator or a pointer
        raise NotImplementedError

    def word(self):  # an enumerator's name, without those of its type
        raise NotImplementedError

    def element(self, index):  # of an array, or behind a pointer, as a View
        raise NotImplementedError

    def size(self):  # bytes of its type
        raise NotImplementedError

    def memory(self, address, count):  # bytes of the program
        raise NotImplementedError


# --- members of the standard library, as libstdc++ has them ---------------------------------------------------------


def array(view, count):
    elements = view.field("_M_elems")
    return [elements.element(k) for k in range(count)]


def vector(view):
    """The number of elements, and the first of them as a pointer."""
    start, end = view.field("_M_impl").field("_M_start"), view.field("_M_impl").field("_M_finish")
    bytes_ = end.number() - start.number()
    return (bytes_ // start.element(0).size() if bytes_ else 0), start


def string(view):
    count = view.field("_M_string_length").number()
    return view.memory(view.field("_M_dataplus").field("_M_p").number(), min(count, 200)).decode("utf-8", "replace")


def shared(view):
    return view.field("_M_ptr")


# --- isa::Operand ---------------------------------------------------------------------------------------------------

MODIFIERS = {"None": "", "Abs": "(abs)", "Neg": "(-)", "NegAbs": "(-abs)", "Sat": "(sat)", "Not": "(~)"}


def region_text(bits):
    """<v;w,h> of a source, <h> of a destination; ? is a code without a meaning."""
    v, w, h = (str(0 if code == 1 else 1 << (code - 2)) if 1 <= code <= 7 else "" if code == 0 else "?"
               for code in (bits & 15, bits >> 4 & 15, bits >> 8 & 15))
    return f"<{v};{w},{h}>" if v or w else f"<{h}>"


def isa_operand(o):
    kind, number, offset = o.field("kind").word(), o.field("id").number(), o.field("offset").number()
    row, col = o.field("row").number(), o.field("col").number()
    type_, value = o.field("type").word().lower(), o.field("value").number()
    region = region_text(o.field("region").field("bits").number())
    modifier = MODIFIERS.get(o.field("modifier").word(), "(?)")
    if kind == "Absent":
        return "absent"
    if kind == "Integer":
        return f"field {value}"
    if kind == "Raw":
        return "%null" if number == 0 and offset == 0 else f"V{number}.{offset}"
    if kind == "General":
        return "%null" if number == 0 else f"{modifier}V{number}({row},{col}){region}"
    if kind == "Address":
        return f"A{number}({row})<{1 << col}>"
    if kind == "Predicate":
        return f"P{number}"
    if kind == "Indirect":
        return f"{modifier}r[A{number}({row}),{offset}]{region}:{type_}"
    if kind == "Immediate":
        return f"{value:#x}:{type_}"
    if kind == "AddressOf":
        return f"&V{number}[{offset}]"
    if kind == "State":
        return ("T" if o.field("state").word() == "Surface" else "S") + f"{number}({offset})"
    return {"Surface": "T", "Sampler": "S", "Label": "label ", "String": "string "}.get(kind, kind + " ") + str(number)


# --- machine::Operand -----------------------------------------------------------------------------------------------


def machine_operand(o):
    kind = o.field("kind").word()
    if o.field("null").number():
        return f"{kind} null"
    type_ = o.field("type").word().lower()
    if kind == "Immediate":
        return f"Immediate {o.field('value').number():#x}:{type_}"
    if kind == "Integer":
        return f"Integer {o.field('value').number()}"
    text = f"{kind} {o.field('id').number()}"
    if kind in ("General", "Raw", "AddressOf", "Indirect"):
        text += f" {MODIFIERS.get(o.field('modifier').word(), '(?)')}{type_}"
    if kind in ("General", "Raw", "AddressOf"):
        text += f" at byte {o.field('base').number()} of {o.field('root_begin').number()} to {o.field('root_end').number()}"
        text += ", scalar" if o.field("scalar").number() else ", contiguous" if o.field("contiguous").number() else ""
        text += "" if o.field("in_bounds").number() else ", may lie outside"
    if kind == "Indirect":
        text += f", byte offset {o.field('offset').number()}"
    return text


# --- image::Surface -------------------------------------------------------------------------------------------------


def surface(s):
    type_, format_ = s.field("type").word(), s.field("format").word()
    if type_ in ("Buffer", "StrBuf", "Scratch"):
        text = f"{type_} {format_}, {s.field('entries').number()} entries"
    else:
        size = [s.field(name).number() for name in ("width", "height", "depth")]
        text = f"{type_} {format_} " + "x".join(str(n) for n in size[: 3 if type_ == "Dim3" else 1 if type_ == "Dim1" else 2])
        for name, one in (("levels", "level"), ("layers", "layer"), ("samples", "sample")):
            if s.field(name).number() != 1:
                text += f", {s.field(name).number()} {one}s"
        if s.field("tile_mode").word() != "Linear":
            text += f", {s.field('tile_mode').word()}"
    text += f", {s.field('bytes').number()} bytes" if shared(s.field("memory")).number() else ", no memory"
    name = string(s.field("name"))
    return text + (f" '{name}'" if name else "")


# --- texture::Tap ---------------------------------------------------------------------------------------------------


def tap(t):
    kind, at = t.field("kind").word(), t.field("at")
    x, y, slice_ = (at.field(name).number() for name in ("x", "y", "slice"))
    place = f"({x}, {y}) of slice {slice_}" + (", disabled face" if at.field("border").number() else "")
    unwrapped = ", ".join(str(v.number()) for v in array(t.field("unwrapped"), 3))
    text = kind if kind == "Border" else f"{kind} {place}"
    return text + f", from ({unwrapped})" + ("" if t.field("weighted").number() else ", no weight")


# --- spirv::compiler::Value and Part, machine::jit::Value -----------------------------------------------------------


def part(p):
    kind, type_ = p.field("kind").word(), p.field("type").word().lower()
    if kind == "Undefined":
        return f"undefined:{type_}"
    if kind == "Constant":
        return f"{p.field('bits').number():#x}:{type_}"
    text = f"{kind.lower()} {p.field('variable').number()}"
    if kind == "Variable":
        offset, stride = p.field("offset").number(), p.field("stride").number()
        text += f":{type_}" + (f"+{offset}" if offset else "") + (f" every {stride}" if stride != 1 else "")
    return text


SHOWN_PARTS = 16


def spirv_value(v):
    text = f"%{v.field('type').number()}"
    count, first = vector(v.field("parts"))
    if count:
        parts = [part(first.element(k)) for k in range(min(count, SHOWN_PARTS))]
        text += " {" + ", ".join(parts + (["..."] if count > SHOWN_PARTS else [])) + "}"
    pointer, handle = shared(v.field("pointer")), shared(v.field("handle"))
    if pointer.number():
        to = pointer.element(0)
        text += f" pointer to %{to.field('pointee').number()} in {to.field('kind').word()}"
    if handle.number():
        text += f" handle of %{handle.element(0).field('type').number()}"
    return text


def jit_value(v):
    pointer = v.field("p").number()
    return f"value {pointer:#x}" if pointer else "none"


PRINTERS = {
    "heddle::isa::Operand": isa_operand,
    "heddle::machine::Operand": machine_operand,
    "heddle::image::Surface": surface,
    "heddle::texture::Tap": tap,
    "heddle::spirv::compiler::Part": part,
    "heddle::spirv::compiler::Value": spirv_value,
    "heddle::machine::jit::Value": jit_value,
}
