"""The window: pygame's events in, frames out, 20 ticks a second."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from experiments.play import keys
from experiments.play.controls import Controls
from experiments.play.frame import HEIGHT, WIDTH, frame
from experiments.play.headless import changes
from experiments.play.menu import Menu
from experiments.play.recorder import Recorder, screenshot
from experiments.play.session import Session
from experiments.values import ConfigError
from rlgpt_jax.envs import base

TICK_SECONDS = 0.05
MAX_SKIPPED = 3  # pictures left out in a row when the machine is late
NEWS_TICKS = 40  # how long words of what happened stay


def load_pygame() -> Any:
    """The library.

    Raises:
      ConfigError: it is not installed.
    """
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
    except ImportError as error:
        raise ConfigError(
            "the window needs pygame. Install it with: pip install -e '.[play]', or play "
            "a file of actions with --headless --actions=FILE."
        ) from error
    return pygame


class Window:
    """One person at one session."""

    def __init__(self, session: Session, record: Path | None, folder: Path = Path()):
        """Opens the window; screenshots go to `folder`.

        Raises:
          ConfigError: pygame is missing, or there is no display.
        """
        self.session, self.controls, self.menu = session, Controls(), Menu()
        self.is_running = True
        self.shown: np.ndarray | None = None  # the last picture
        self._recorder, self._folder = Recorder(record), folder
        self._news, self._news_until = "", 0
        self._pygame = load_pygame()
        try:
            self._pygame.display.init()
            self._screen = self._pygame.display.set_mode((WIDTH, HEIGHT))
        except self._pygame.error as error:
            raise ConfigError(
                f"no window can be opened ({error}). Play a file of actions with "
                "--headless --actions=FILE."
            ) from error
        self._pygame.display.set_caption(f"rlgpt_jax: {session.task.name}")
        self._grab(True)

    def run(self, on_tick: Callable[["Window"], None] = lambda window: None) -> None:
        """Plays until the person quits. `on_tick` is called before each tick."""
        due, skipped = time.monotonic(), 0
        try:
            while self.is_running:
                on_tick(self)
                for event in self._pygame.event.get():
                    self.handle(event)
                self._advance()
                due += TICK_SECONDS
                is_late = time.monotonic() > due and skipped < MAX_SKIPPED
                skipped = skipped + 1 if is_late and self.shown is not None else 0
                if not skipped:
                    self._draw()
                if self.shown is not None and not self.menu.is_open:
                    self._recorder.add(self.shown)
                now = time.monotonic()
                due = max(due, now - TICK_SECONDS)  # what is far behind is not caught up
                time.sleep(max(0.0, due - now))
        finally:
            self._recorder.close()
            self._grab(False)
            self._pygame.display.quit()

    def handle(self, event: Any) -> None:
        """Takes one event of pygame."""
        pygame = self._pygame
        if event.type == pygame.QUIT:
            self.is_running = False
        elif event.type == pygame.WINDOWFOCUSLOST:
            self.controls.release_all()
        elif event.type == pygame.KEYDOWN:
            self._key(pygame.key.name(event.key))
        elif event.type == pygame.KEYUP:
            what = keys.HELD.get(pygame.key.name(event.key))
            if what:
                self.controls.release(what)
        elif not self.menu.is_open:
            self._mouse(event)

    def _mouse(self, event: Any) -> None:
        pygame = self._pygame
        if event.type == pygame.MOUSEMOTION:
            self.controls.turn(*event.rel)
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button in keys.BUTTONS:
            self.controls.press(keys.BUTTONS[event.button])
        elif event.type == pygame.MOUSEBUTTONUP and event.button in keys.BUTTONS:
            self.controls.release(keys.BUTTONS[event.button])

    def _key(self, key: str) -> None:
        if key == keys.QUIT:
            self.is_running = False
        elif key == keys.SCREENSHOT and self.shown is not None:
            screenshot(self.shown, self._folder, self.session.task.name)
            self._tell("screenshot")
        elif self.menu.is_open:
            self._menu_key(key)
        elif key == keys.AGAIN or (self.session.end and key == keys.ENTER):
            self.session.next_episode()
            self.controls = Controls()
            self._news = ""
        elif key == keys.MENU and not self.session.end:
            self.controls.release_all()
            self.menu.open(self.session.obs)
            self._grab(False)
        elif key in keys.HELD:
            self.controls.press(keys.HELD[key])
        else:
            self._ask(key)

    def _menu_key(self, key: str) -> None:
        if key in ("up", "down", "left", "right"):
            self.menu.move(key)
            return
        entry = self.menu.chosen()
        if key == keys.ENTER and entry:
            self.controls.ask(entry.function, entry.craft, entry.slot)
        if key in (keys.ENTER, keys.MENU):
            self.menu.close()
            self._grab(True)

    def _ask(self, key: str) -> None:
        """Slow actions: on the hand, or equipping by number."""
        functions = {
            keys.DROP: base.FN_DROP, keys.PLACE: base.FN_PLACE, keys.DESTROY: base.FN_DESTROY,
        }  # fmt: skip
        obs = self.session.obs
        if key.isdecimal() and "1" <= key <= "9":
            if obs.mask_equip[0, int(key) - 1]:
                self.controls.ask(base.FN_EQUIP, slot=int(key) - 1)
        elif key in functions and obs.slot_quantity[0, 0] > 0:
            self.controls.ask(functions[key])

    def _advance(self) -> None:
        """One tick, unless the menu is open or the episode has ended."""
        if self.menu.is_open or self.session.end:
            return
        tick = self.session.step(self.controls.row(self.session.is_busy))
        told = changes(tick)
        if told:
            self._tell(told)

    def _tell(self, words: str) -> None:
        self._news, self._news_until = words, self.session.tick + NEWS_TICKS

    def _draw(self) -> None:
        news = self._news if self.session.tick < self._news_until else ""
        self.shown = frame(self.session, self.menu, news)
        surface = self._pygame.surfarray.make_surface(self.shown.swapaxes(0, 1))
        self._screen.blit(surface, (0, 0))
        self._pygame.display.flip()

    def _grab(self, on: bool) -> None:
        """Holds the mouse in the window while one looks about with it."""
        self._pygame.event.set_grab(on)
        self._pygame.mouse.set_visible(not on)
