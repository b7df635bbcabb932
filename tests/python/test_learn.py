"""Environments keep to Gymnasium's and PettingZoo's rules, read what the simulator knows, and what a policy learned is a controller."""

from __future__ import annotations

import itertools
import json
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import parallel_api_test, parallel_seed_test

import windtunnel as wt
from windtunnel import native
from windtunnel.battery import HISTORIES, carried_out
from windtunnel.cli import main
from windtunnel.learn import REWARDS, Acting, DumbbellEnv, DumbbellVectorEnv, Paths, Policy, Reading, baseline, evaluate, export, together
from windtunnel.learn.parallel import DumbbellParallelEnv
from windtunnel.scenario import ScenarioError

ROOT = Path(__file__).parents[2]
SMALL: dict[str, Any] = {"rate_bps": 10e6, "rtt_s": 0.04, "duration_s": 4.0}
RANGES: dict[str, Any] = {"rate_bps": (5e6, 20e6), "rtt_s": (0.02, 0.08), "queue_bdp": (0.5, 2.0), "duration_s": 2.0}
TIMED: dict[str, Any] = {"by": "time", "step": 0.05, "history": 3, "observations": ["rate_bps", "rtt_s"]}
SERVICE_S = 1500 * 8 / 10e6


def held(window: float, most: float = 1024.0) -> list[float]:
    """Return the action that sets a window."""
    return [2 * math.log2(window) / math.log2(most) - 1]


@pytest.mark.filterwarnings("ignore:.*:UserWarning")
@pytest.mark.parametrize("options", [{}, {"paced": True}, TIMED])
def test_gymnasium_takes_the_environment(options: dict[str, Any]) -> None:
    env = gymnasium.make("windtunnel/Dumbbell-v0", **RANGES, **options)
    check_env(env.unwrapped, skip_render_check=True)
    env.close()


@pytest.mark.filterwarnings("ignore:.*:UserWarning")
def test_pettingzoo_takes_the_environment_of_several_agents() -> None:
    parallel_api_test(DumbbellParallelEnv(3, **RANGES), num_cycles=100)
    parallel_seed_test(lambda: DumbbellParallelEnv(2, **RANGES), num_cycles=20)


def test_the_core_names_what_a_reading_has() -> None:
    assert tuple(native.reading_columns()) == Reading._fields


def rollout(seed: int, steps: int = 20) -> list[np.ndarray]:
    env = DumbbellEnv(**RANGES)
    seen = [env.reset(seed=seed)[0]]
    env.action_space.seed(seed)
    return seen + [env.step(env.action_space.sample())[0] for _ in range(steps)]


def test_a_seed_says_all_and_another_says_otherwise() -> None:
    first, again, other = rollout(1), rollout(1), rollout(2)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_window_has_the_rate_and_the_delay_of_its_closed_form() -> None:
    """33 packets fill the path: below it the rate is window over RTT, above it what is more stands in the queue."""
    env = DumbbellEnv(**SMALL, queue_bdp=20.0, action="window", window_max_packets=1024.0)
    env.reset(seed=0)
    for _ in range(20):
        reading = env.step(np.array(held(16.0), dtype=np.float32))[4]["reading"]
    assert reading.rate_bps == pytest.approx(16 * 1448 * 8 / reading.rtt_min_s, rel=2 / 16)
    assert reading.latency_ratio < 0.1
    for _ in range(40):
        reading = env.step(np.array(held(128.0), dtype=np.float32))[4]["reading"]
    assert reading.rtt_s == pytest.approx(128 * SERVICE_S, rel=0.03)
    assert reading.latency_ratio == pytest.approx(reading.rtt_s / reading.rtt_min_s - 1, rel=1e-9)


def test_a_step_of_time_has_its_length_and_an_episode_its_end() -> None:
    env = DumbbellEnv(**SMALL, by="time", step=0.1)
    _, info = env.reset(seed=0)
    times = [info["reading"].t_s]
    over = False
    while not over:
        _, _, terminated, over, info = env.step(np.zeros(1, dtype=np.float32))
        assert not terminated
        times.append(info["reading"].t_s)
    assert np.diff(times[:-1]) == pytest.approx(0.1)
    assert times[-1] == pytest.approx(4.0)


def test_history_shows_the_steps_before() -> None:
    env, plain = (DumbbellEnv(**SMALL, observations=("rate_bps", "rtt_s"), history=history) for history in (3, 1))
    seen = [env.reset(seed=3)[0]] + [env.step(np.ones(1, dtype=np.float32))[0] for _ in range(4)]
    alone = [plain.reset(seed=3)[0]] + [plain.step(np.ones(1, dtype=np.float32))[0] for _ in range(4)]
    assert np.array_equal(seen[0], np.tile(alone[0], 3))
    assert np.array_equal(seen[4], np.concatenate(alone[2:5]))


def test_rewards_are_what_their_papers_say() -> None:
    """10 Mbit/s in 100 packets of 1250 bytes in 0.1 s at 50 ms, one in four lost, and the RTT grows by a tenth of a second in a second."""
    numbers = dict.fromkeys(Reading._fields, 0.0) | {"step_s": 0.1, "delivered_packets": 100.0, "rate_bps": 10e6, "rtt_s": 0.05}
    reading = Reading(**numbers | {"loss": 0.25, "latency_gradient": 0.1})
    assert REWARDS["remy"](reading) == pytest.approx(math.log(10) - math.log(50))
    assert REWARDS["aurora"](reading) == pytest.approx(10 * 1000 - 1000 * 0.05 - 2000 * 0.25)
    assert REWARDS["vivace"](reading) == pytest.approx(10**0.9 - 900 * 10 * 0.1 - 11.35 * 10 * 0.25)
    silent = reading._replace(delivered_packets=0.0, rate_bps=0.0)
    assert REWARDS["remy"](silent) == pytest.approx(math.log(1448 * 8 / 0.1 / 1e6) - math.log(50))


@pytest.mark.parametrize("threads", [1, 2])
def test_many_environments_are_each_like_one(threads: int) -> None:
    """Episodes end at different steps, for the paths differ, and begin anew with the step after."""
    envs = DumbbellVectorEnv(5, threads=threads, **RANGES)
    seen, _ = envs.reset(seed=10)
    alone = [DumbbellEnv(**RANGES) for _ in range(5)]
    ones = [env.reset(seed=10 + index)[0] for index, env in enumerate(alone)]
    over = [False] * 5
    actions = np.random.default_rng(0).uniform(-1, 1, (120, 5, 1)).astype(np.float32)
    for action in actions:
        seen, rewards, _, truncated, _ = envs.step(action)
        for index, env in enumerate(alone):
            if over[index]:
                ones[index], reward, over[index] = env.reset()[0], 0.0, False
            else:
                ones[index], reward, _, over[index], _ = env.step(action[index])
            assert rewards[index] == pytest.approx(reward)
        assert np.array_equal(seen, ones)
        assert truncated.tolist() == over
    made = gymnasium.make_vec("windtunnel/Dumbbell-v0", num_envs=2, vectorization_mode="vector_entry_point")
    assert isinstance(made.unwrapped, DumbbellVectorEnv)


def test_agents_share_the_link_and_are_read_apart() -> None:
    env = DumbbellParallelEnv(2, **SMALL, action="window", window_max_packets=1024.0, queue_bdp=20.0)
    env.reset(seed=0)
    delivered, time_s = np.zeros(2), 0.0
    for step in range(80):
        info = env.step({"flow_1": np.array(held(96.0)), "flow_2": np.array(held(32.0))})[4]
        readings = [info[name]["reading"] for name in ("flow_1", "flow_2")]
        if step >= 20:
            delivered += [reading.delivered_packets for reading in readings]
            time_s += readings[0].step_s
    assert delivered.sum() * 1500 * 8 / time_s == pytest.approx(10e6, rel=0.05)
    # In one queue rates are as windows.
    assert delivered[0] / delivered[1] == pytest.approx(3.0, rel=0.1)


def test_a_scenario_of_ones_own_is_the_path() -> None:
    def make(generator: np.random.Generator) -> wt.Scenario:
        link = wt.Bottleneck(rate_bps=10e6, queue_bdp=1.0, discipline="codel")
        return wt.Scenario(bottleneck=link, rtt_s=float(generator.choice([0.02, 0.04])), duration_s=3, flows=["reno", "cubic"])

    env = DumbbellEnv(scenario=make)
    shortest = {round(env.reset(seed=seed)[1]["reading"].rtt_min_s, 3) for seed in range(12)}
    assert len(shortest) == 2


def test_the_reward_of_a_law_is_its_own() -> None:
    """Vegas keeps two to four packets in the queue where Reno fills it: the same rate at a smaller delay."""
    reno, vegas = (baseline(name, seeds=[1, 2], **SMALL) for name in ("reno", "vegas"))
    assert (vegas > reno).all()
    assert reno.shape == (2,)


POLICIES = {
    "factor": ({}, (5, 1)),
    "hidden": ({"history": 2, "observations": ("latency_ratio", "loss", "log_window")}, (6, 4, 1)),
    "paced": ({"paced": True}, (5, 3, 2)),
    "timed": ({"by": "time", "step": 0.06, "action": "window", "window_max_packets": 256.0}, (5, 1)),
}


@pytest.mark.parametrize("kind", POLICIES)
def test_an_exported_policy_does_what_the_policy_did(kind: str, tmp_path: Path) -> None:
    """Without losses decision for decision: the windows over time are those of the environment."""
    options, sizes = POLICIES[kind]
    policy = Policy(sizes, np.random.default_rng(4).normal(0, 0.3, Policy.count(sizes)))
    given = SMALL | {"queue_bdp": 30.0}
    env = DumbbellEnv(**given, **options)
    seen, info = env.reset(seed=0)
    windows, over = [info["reading"].cwnd_packets], False
    while not over:
        seen, _, _, over, info = env.step(policy(seen))
        windows.append(info["reading"].cwnd_packets)
    acting = Acting(**{name: tuple(value) if isinstance(value, list) else value for name, value in options.items()})
    path = export(policy, tmp_path / "learned.py", acting)
    link = wt.Bottleneck(rate_bps=given["rate_bps"], queue_bdp=30.0)
    drawn = int(np.random.default_rng(0).integers(1 << 31))
    run = wt.run(wt.Scenario(bottleneck=link, rtt_s=0.04, duration_s=4, flows=[str(path)], sample_s=0.001, seed=drawn))
    windows = [window for window, _ in itertools.groupby(windows)]
    seen_windows = [window for window, _ in itertools.groupby(run.flow_samples["cwnd_packets"].to_list())]
    rest = iter(windows)
    # Each of the controller's windows is one of the environment's, in order; between two ACKs two decisions may be due.
    assert all(any(window == pytest.approx(one, rel=1e-6) for one in rest) for window in seen_windows), (windows, seen_windows)
    assert len(seen_windows) >= 0.8 * len(windows) > 8


def test_an_exported_policy_goes_through_the_battery(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(carried_out, "LEAST_ACKS", 2000)
    policy = Policy((5, 1), np.array([-1.0, 0.0, -1.0, 0.0, 0.0, 0.3]))
    path = export(policy, tmp_path / "learned.py", Acting())
    assert main(["check", str(path), "--invariants"]) == 0
    said = capsys.readouterr().out
    assert sum(line.rstrip().endswith("nothing") for line in said.splitlines()) == len(HISTORIES), said
    assert main(["run", "--rate", "10Mbit", "--rtt", "40ms", "--duration", "5s", "--flow", str(path), "--flow", "cubic", "--json"]) == 0
    names = [flow["algorithm"].partition(":")[0] for flow in json.loads(capsys.readouterr().out)["flows"]]
    assert names == ["learned.py", "cubic"]


def test_policies_together_are_each_alone() -> None:
    generator = np.random.default_rng(0)
    policies = [Policy((3, 4, 1), generator.normal(size=Policy.count((3, 4, 1)))) for _ in range(3)]
    seen = generator.normal(size=(3, 2, 3)).astype(np.float32)
    assert together(policies, seen) == pytest.approx(np.stack([one(rows) for one, rows in zip(policies, seen, strict=True)]))


def test_a_policy_is_worth_what_its_steps_are() -> None:
    policy = Policy((5, 1), np.zeros(6))
    envs = DumbbellEnv(**SMALL)
    seen, _ = envs.reset(seed=7)
    rewards, over = [], False
    while not over:
        seen, reward, _, over, _ = envs.step(policy(seen))
        rewards.append(reward)
    assert evaluate(policy, seeds=[7], **SMALL)[0] == pytest.approx(np.mean(rewards))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"rate": 1}, "rate: is not known"),
        ({"by": "packet"}, "by: 'packet' is not known; give rtt or time"),
        ({"observations": ("queue",)}, "observations: 'queue' cannot be observed"),
        ({"observations": ()}, "observations: nothing cannot be observed"),
        ({"step": 0.0}, "step: 0.0 is not allowed"),
        ({"history": 0}, "history: 0 is not allowed"),
        ({"window_max_packets": 1.0}, "window_max_packets: 1.0 is not allowed"),
        ({"reward": "joy"}, "reward: 'joy' is not known"),
    ],
)
def test_an_option_that_means_nothing_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ScenarioError, match=said):
        DumbbellEnv(**options)


def test_a_path_that_is_none_is_refused_when_an_episode_begins() -> None:
    with pytest.raises(ScenarioError, match="rtt_s"):
        DumbbellEnv(rtt_s=(0.04, 0.02)).reset()
    with pytest.raises(ScenarioError, match="rate"):
        DumbbellEnv(rate_bps=1.0).reset()
    with pytest.raises(ScenarioError, match="duration"):
        DumbbellEnv(duration_s=0.02).reset()
    with pytest.raises(ScenarioError, match="fewer flows"):
        Paths(scenario=lambda _: wt.Scenario(bottleneck={"rate_bps": 1e6}, rtt_s=0.1, flows=["reno"])).draw(np.random.default_rng(), 2)


def test_what_a_controller_cannot_see_is_not_exported(tmp_path: Path) -> None:
    seen = Acting(observations=("in_flight_packets",))
    with pytest.raises(ScenarioError, match="does not see in_flight_packets"):
        export(Policy((1, 1), np.zeros(2)), tmp_path / "mine.py", seen)
    with pytest.raises(ScenarioError, match=r"ends in \.py"):
        export(Policy((5, 1), np.zeros(6)), tmp_path / "mine.c", Acting())
    with pytest.raises(ScenarioError, match="4 numbers in"):
        export(Policy((4, 1), np.zeros(5)), tmp_path / "mine.py", Acting())


def test_the_guide_does_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    known: dict[str, Any] = {}
    for block in re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/guides/learning.md").read_text(encoding="utf-8"), re.S | re.M):
        exec(block, known)
    assert known["over"] and (tmp_path / "learned.py").exists()


def test_the_example_trains_compares_and_writes_a_controller(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "examples/learning/train.py"), "--seconds", "0.1", "--out", str(tmp_path / "learned.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "generation 1: best" in done.stdout and "reno: -" in done.stdout
    run = wt.run(wt.Scenario(bottleneck=wt.Bottleneck(rate_bps=10e6), rtt_s=0.04, duration_s=2, flows=[str(tmp_path / "learned.py")]))
    assert run.flows["delivered_packets"][0] > 0
