"""The named tables: what each asks, of which cells, and how it is drawn."""

import dataclasses
from collections.abc import Callable, Sequence

from experiments.config_files import PAPER
from experiments.configs.base import PAPER_TASKS
from experiments.study import chains, controls, iterations, overview, pooled
from experiments.study.cells import Cell
from experiments.study.table import Table
from experiments.tables import (
    ablations,
    compared,
    draws,
    frontier,
    main_table,
    paper,
    samples,
    tokens_table,
)
from experiments.tables.view import View

Cells = Callable[[Sequence[str], Sequence[str]], list[Cell]]  # of tasks and of live models

PAPER_CONFIGS = tuple(f"{task}{PAPER}" for task in PAPER_TASKS)
# Of the ten those that neither half solves alone, since a tree or a mob must be found on plains.
FOUR = tuple(f"{task}{PAPER}" for task in (
    "craft_stick", "harvest_milk_with_crafting_table_and_iron_ingot",
    "harvest_wool_with_crafting_table_and_iron_ingot", "harvest_beef_with_diamond_sword",
))  # fmt: skip
SHORT = ("harvest_milk", "harvest_wool")  # 200 ticks, nothing to craft, the mob near
CONTROLS = ("rl_gpt", "cold", "pure_rl", "agents_setup", "without_macros", "code_alone")
QUICK = ("harvest_milk_rays",)  # of smoke runs: has conversations of RL-GPT and of code alone


@dataclasses.dataclass(frozen=True)
class Named:
    """A table of the paper, or one that goes beyond it."""

    words: str  # what it asks
    tasks: tuple[str, ...]  # configurations, unless others are chosen
    cells: Cells
    tables: Callable[[View], list[Table]]
    notes: Callable[[View], list[str]] = lambda view: []
    curves: bool = False  # whether success by iteration and learning curves are drawn
    strips: bool = False  # whether moments of the films of iterations are


def _each(*variants: str) -> Cells:
    return lambda tasks, live: [Cell(task, variant) for variant in variants for task in tasks]


def _iterations_cells(tasks: Sequence[str], live: Sequence[str]) -> list[Cell]:
    both = _each("rl_gpt", "pure_rl")(tasks, live)
    return [*both, *(Cell(task, "cold") for task in tasks if task in (*FOUR, *QUICK))]


def _iterations(view: View) -> list[Table]:
    by_iteration = iterations.iterations(view.measured.values())
    if "harvest_log" in view.tasks:
        words = f"{by_iteration.words} {paper.FIGURE_5}"
        by_iteration = dataclasses.replace(by_iteration, words=words)
    return [
        overview.overview(view.measured.values()), by_iteration,
        iterations.against_pure_rl(view.measured), chains.chains(view.measured.values()),
    ]  # fmt: skip


def _controls(view: View) -> list[Table]:
    return [
        overview.overview(view.measured.values()), controls.controls(view.measured),
        pooled.pooled(view.measured, CONTROLS), chains.chains(view.measured.values()),
    ]  # fmt: skip


NAMED = {
    "main": Named(
        "The paper's ten tasks by all methods (its table 1).", PAPER_CONFIGS,
        _each(*main_table.METHODS), main_table.tables, notes=main_table.notes, curves=True,
    ),
    "ablation": Named(
        "What each part of the method and each iteration adds (the paper's table 3).", FOUR,
        _each(*ablations.VARIANTS), lambda view: [ablations.ablation(view)],
    ),
    "structure": Named(
        "One agent, two, or two with a critic (the paper's table 4).", ("harvest_log",),
        _each(*compared.STRUCTURES.values()), compared.structure,
    ),
    "interface": Named(
        "What the fast agent may design: reward, action space, both (the paper's table 5).",
        ("harvest_log",), _each(*compared.DESIGNS.values()), compared.interface,
    ),
    "frontier": Named(
        "Where learning adds to code: code alone and RL-GPT by what they see.",
        (*SHORT, *PAPER_CONFIGS), lambda tasks, live: frontier.frontier_cells(tasks),
        frontier.frontier,
    ),
    "iterations": Named(
        "Success after each outer iteration, and whether plans or training make the rise.",
        ("harvest_log", *FOUR), _iterations_cells, _iterations, curves=True, strips=True,
    ),
    "controls": Named(
        "RL-GPT beside each of its halves at equal training.", (*SHORT, *FOUR),
        _each(*CONTROLS), _controls, notes=main_table.notes, curves=True,
    ),
    "samples": Named(
        "Success against environment steps, by method.", PAPER_CONFIGS,
        _each(*main_table.METHODS), samples.samples, curves=True,
    ),
    "draws": Named(
        "How much is the model's luck: several conversations about one task.",
        (f"get_crafting_table_nearby{PAPER}", *FOUR[:2]), _each(*draws.DRAWS), draws.draws,
    ),
    "advice": Named(
        "With and without advice in the prompts.", ("harvest_milk",),
        _each(*compared.ADVICE.values()), compared.advice,
    ),
    "vision": Named(
        "A critic that reads numbers, and one that sees pictures.", ("harvest_milk",),
        _each(*compared.VISION.values()), compared.vision,
    ),
    "models": Named(
        "One column per model that answers.", FOUR, compared.model_cells, compared.models,
    ),
    "tokens": Named(
        "Tokens per iteration, from recorded conversations.",
        (*PAPER_CONFIGS, *SHORT, "harvest_log", "craft_wooden_pickaxe"),
        lambda tasks, live: [], tokens_table.recorded,
    ),
}  # fmt: skip
