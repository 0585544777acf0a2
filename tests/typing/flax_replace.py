"""A mypy plugin: classes made by `flax.struct.dataclass` have the method `replace`.

flax adds it when the class is made, which no stub can say.
"""

from collections.abc import Callable

from mypy.nodes import ARG_NAMED_OPT, Argument, TypeInfo, Var
from mypy.plugin import ClassDefContext, Plugin
from mypy.plugins.common import add_method_to_class
from mypy.plugins.dataclasses import dataclass_class_maker_callback
from mypy.typevars import fill_typevars

DECORATOR = "flax.struct.dataclass"


def add_replace(context: ClassDefContext) -> bool:
    """Makes the dataclass as mypy would, then adds `replace(self, *, field=...)`."""
    done = dataclass_class_maker_callback(context)
    info = context.cls.info
    fields = {name: node.node for name, node in info.names.items() if isinstance(node.node, Var)}
    arguments = [
        Argument(Var(name, var.type), var.type, None, ARG_NAMED_OPT)
        for name, var in fields.items()
        if var.type is not None and not name.startswith("_")
    ]
    add_method_to_class(context.api, context.cls, "replace", arguments, self_type(info))
    return done


def self_type(info: TypeInfo):
    return fill_typevars(info)


class FlaxPlugin(Plugin):
    def get_class_decorator_hook_2(self, fullname: str) -> Callable[[ClassDefContext], bool] | None:
        return add_replace if fullname == DECORATOR else None


def plugin(version: str) -> type[Plugin]:
    del version
    return FlaxPlugin
