"""`experiments.study.figure`: what a figure says stays inside of it."""

import matplotlib.pyplot as plt
import pytest

from experiments.study import figure


@pytest.mark.parametrize(("words", "columns"), [("short", 2), ("fifty letters and more, " * 3, 1)])
def test_a_legend_is_as_wide_as_its_figure_at_most(words: str, columns: int) -> None:
    drawn, axes = plt.subplots(figsize=(7.0, 4.0), layout="constrained")
    for i in range(3):
        axes.plot([0, 1], label=f"{words} {i}")
    legend = figure.legend(drawn, *axes.get_legend_handles_labels())
    drawn.draw_without_rendering()
    places = {round(text.get_window_extent().x0) for text in legend.get_texts()}
    assert len(places) == columns and drawn.legends == [legend]
    assert legend.get_window_extent().width <= drawn.bbox.width
    plt.close(drawn)
