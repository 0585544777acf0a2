"""The inner loop: M tries of the fast agent for every coded sub-action of a plan.

All questions of one try are asked at the same time. Code outside the macro language goes
back with line and reason; accepted code runs in trial episodes. With a critic, the trial
critic reads all trials of the try at once, and what it is content with is done; it is not
asked about the last try, where its words could change nothing any more. Without one, the
fast agent reads the facts itself and says whether it keeps its code.

The set-up of the training is asked for together with the last try, or alone if all code
was done before, or if there was none to write.
"""

import dataclasses
from collections.abc import Mapping

from rlgpt_jax.agents import critic, fast, rl_setup
from rlgpt_jax.agents.ask import Question
from rlgpt_jax.agents.prompt_state import KEEP, OK, Fate, Judgement, Refusal, SubAction, Trial
from rlgpt_jax.loop import events
from rlgpt_jax.loop.attempts import attempt, fate, finish_code, finish_interface, others
from rlgpt_jax.loop.pictures import trial_pictures
from rlgpt_jax.loop.record import write_json
from rlgpt_jax.loop.trials import Attempts, Trials
from rlgpt_jax.macros.linked import split, without
from rlgpt_jax.rl.interface import DEFAULT, RLInterface


def code_sub_actions(trials: Trials) -> tuple[tuple[Fate, ...], RLInterface]:
    """Runs the inner loop for `trials.state.plan`.

    Returns:
      One fate per coded sub-action, and how the training is to be set up.
    """
    config, tools, state = trials.config, trials.tools, trials.state
    coded = state.plan.coded
    attempts: Attempts = {s.name: () for s in coded if s.instruction != KEEP}
    interface: RLInterface | Refusal | None = None
    judged: list[dict] = []
    for number in range(config.num_tries):
        todo = [s for s in coded if s.name in attempts and not _is_done(attempts, s)]
        if not todo:
            break
        is_last = number == config.num_tries - 1
        questions = [_code_question(trials, s, attempts, number) for s in todo]
        if is_last and config.sets_up_rl:
            questions.append(_interface_question(trials, todo, attempts))
        answers = tools.ask_all(questions, "code")
        if is_last and config.sets_up_rl:
            interface = answers.pop()
        before = dict(attempts)  # what is asked at the same time cannot call each other
        for s, answer in zip(todo, answers, strict=True):
            if answer == KEEP:  # the fast agent is content with its code
                *older, last = attempts[s.name]
                attempts[s.name] = (*older, dataclasses.replace(last, verdict=OK))
                tools.on_event(events.Kept(state.iteration, number, s.name))
            else:
                attempts[s.name] += (attempt(trials, number, s.name, answer, before),)
        trials.run(number, attempts)
        if config.has_critic and not is_last:
            judgements = _judge(trials, todo, attempts, number)
            judged.append({name: dataclasses.asdict(j) for name, j in judgements.items()})
            write_json(tools.folder.iteration(state.iteration, "trial_critiques.json"), judged)
    fates = finish_code(tools, state, attempts)
    if not config.sets_up_rl:
        return fates, DEFAULT
    if interface is None:
        (interface,) = tools.ask_all([_interface_question(trials, [], attempts)], "code")
    return fates, finish_interface(tools, state, interface)


def _is_done(attempts: Attempts, sub_action: SubAction) -> bool:
    made = attempts[sub_action.name]
    return bool(made) and made[-1].verdict == OK


def _code_question(
    trials: Trials, sub_action: SubAction, attempts: Attempts, number: int
) -> Question:
    """An answer without code is an attempt that was refused, so it is asked only once."""
    name = sub_action.name
    state = trials.state.replace(
        sub_action=sub_action, attempts=attempts[name], others=others(trials.state, name, attempts)
    )
    key = trials.key("fast", name, f"try{number}")
    return Question(key, "fast", state, fast.render, fast.parse, num_answers=1)


def _interface_question(trials: Trials, todo: list[SubAction], attempts: Attempts) -> Question:
    """Tells what became of the code so far; code of `todo` is being written meanwhile."""
    fates = tuple(
        dataclasses.replace(fate(s, attempts.get(s.name), trials.state), is_open=s in todo)
        for s in trials.state.plan.coded
    )
    told, key = trials.state.replace(fates=fates), trials.key("fast", "rl")
    return Question(key, "fast", told, rl_setup.render, rl_setup.parse, rl_setup.schema(told))


def _judge(
    trials: Trials, todo: list[SubAction], attempts: Attempts, number: int
) -> Mapping[str, Judgement]:
    """Asks the trial critic about the macros that ran in this try; adds its verdicts."""
    tools, state = trials.tools, trials.state
    last = {s.name: attempts[s.name][-1] for s in todo}
    shown = {name: split(made.source)[0] for name, made in last.items()}
    ran = tuple(
        Trial(s, without(last[s.name].source, shown), last[s.name].trial)
        for s in todo
        if last[s.name].accepted
    )
    if not ran:
        return {}
    names = [trial.sub_action.name for trial in ran]
    images, words = trial_pictures.shown(tools, state.iteration, names, number)
    state = state.replace(trials=ran, images=images, images_words=words)
    key, schema = trials.key("trial_critic", f"try{number}"), critic.trials_schema(state)
    question = Question(
        key, "trial_critic", state, critic.render_trials, critic.parse_trials, schema
    )
    judgements = tools.ask(question, "code")
    if isinstance(judgements, Refusal):
        judgements = critic.fallback_trials(state)
    for name, judgement in judgements.items():
        judged = dataclasses.replace(last[name], **dataclasses.asdict(judgement))
        attempts[name] = (*attempts[name][:-1], judged)
    tools.on_event(events.Judged(state.iteration, number, judgements))
    return judgements
