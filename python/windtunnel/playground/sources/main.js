// The page: a scenario is chosen, filled in, run, shown, and put into the address.
"use strict";

tunnel.sampling = (duration_s) => {
  const rounds = [1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5];
  return rounds.find((step) => duration_s / step <= 3000) || 0.5;
};

tunnel.page = (() => {
  const byId = (id) => document.getElementById(id);
  const given = (name) => JSON.parse(byId(name).textContent);
  const MOST_PACKETS = 4e7;
  let catalogue = null;
  let shown = null;
  let text = "";
  let lesson = null;
  let sample = -1;

  const say = (words, isError = false) => {
    const box = byId("status");
    box.textContent = words;
    box.classList.toggle("error", isError);
  };

  // What a run of a scenario takes at most, in packets of 1500 bytes.
  const packets = ({ bottleneck, duration_s }) =>
    (Math.max(bottleneck.rate_bps, ...(bottleneck.rate_steps || []).map((step) => step.rate_bps)) * duration_s) / 12000;

  const limits = ({ bottleneck, duration_s }) => {
    const rates = [[0, bottleneck.rate_bps / 1e6], ...(bottleneck.rate_steps || []).map((step) => [step.at_s, step.rate_bps / 1e6])];
    const queues = [[0, tunnel.controls.queuePackets(bottleneck)], ...(bottleneck.queue_steps || []).map((step) => [step.at_s, tunnel.flight.queueOf(bottleneck, step)])];
    return { rate: rates.filter(([at_s]) => at_s <= duration_s), queue: queues.filter(([at_s]) => at_s <= duration_s) };
  };

  const moved = (t_s) => {
    if (!shown) return;
    const at = tunnel.charts.draw(shown.series.t, t_s);
    if (at === sample) return;
    sample = at;
    const link = shown.answer.scenario.bottleneck;
    tunnel.results.moment(shown.series, Math.max(at, 0), { packets: tunnel.flight.queueAt(link, t_s), rate_bps: tunnel.flight.rateAt(link, t_s) });
  };

  const busy = (is) => {
    document.body.classList.toggle("busy", is);
    byId("cancel").hidden = !is;
  };

  const drawn = (answer, { keepsMoment = false } = {}) => {
    const from = keepsMoment ? tunnel.player.moment() : 0;
    const plays = keepsMoment ? tunnel.player.isPlaying() : true;
    const series = tunnel.series.made(answer, tunnel.look);
    shown = { answer, series };
    sample = -1;
    const { scenario } = answer;
    tunnel.controls.show(scenario, series.styles);
    tunnel.results.legend(series);
    tunnel.results.table(answer, series);
    tunnel.results.facts(answer);
    tunnel.charts.show(series, scenario.duration_s, limits(scenario));
    const round = Math.max(...scenario.flows.map((flow) => flow.rtt_s || 0), scenario.sample_s);
    tunnel.player.load(scenario.duration_s, round, scenario.sample_s, Math.min(from, scenario.duration_s), plays);
    tunnel.flight.show(scenario, catalogue, change);
  };

  // Runs a scenario given as text: with every digit of it, so that an address gives the bits that it was made of.
  const run = async (question, more) => {
    const filled = tunnel.core.fill(question);
    if (filled.error) {
      say([filled.error.field, filled.error.problem].filter(Boolean).join(": "), true);
      if (shown) tunnel.controls.show(shown.answer.scenario, shown.series.styles);
      return false;
    }
    const size = packets(filled.ok.scenario);
    if (size > MOST_PACKETS) {
      say(`This run is of ${Math.round(size / 1e6)} million packets; this page runs at most ${MOST_PACKETS / 1e6} million. Take a lower rate or a shorter run, or the command line.`, true);
      if (shown) tunnel.controls.show(shown.answer.scenario, shown.series.styles);
      return false;
    }
    say(`Simulating some ${Math.round(size).toLocaleString("en")} packets.`);
    busy(true);
    const answer = await tunnel.core.run(question);
    if (!answer) return false;
    busy(false);
    if (answer.error) {
      say([answer.error.field, answer.error.problem].filter(Boolean).join(": "), true);
      return false;
    }
    text = question;
    say(`${answer.ok.data_packets.toLocaleString("en")} packets simulated in ${windtunnel.number(answer.ok.wall_ms, 3)} ms.`);
    drawn(answer.ok, more);
    await tunnel.address.show(resolved(), lesson?.id);
    return true;
  };

  // The resolved scenario as text. What came as text and was not edited keeps its digits, of a seed above 2^53 too.
  const resolved = () => (/"seed"\s*:\s*\d{16,}/.test(text) ? text : JSON.stringify(shown.answer.scenario));

  // What the reader changes is no longer what a lesson offers.
  const change = (scenario, more) => {
    for (const button of byId("tries").children) button.setAttribute("aria-pressed", "false");
    return run(JSON.stringify(scenario), more);
  };

  const merged = (base, patch) => {
    if (Array.isArray(patch) || patch === null || typeof patch !== "object") return structuredClone(patch);
    const made = structuredClone(base && typeof base === "object" && !Array.isArray(base) ? base : {});
    for (const [key, value] of Object.entries(patch)) made[key] = merged(made[key], value);
    return made;
  };

  const described = (one) => {
    lesson = one;
    byId("lesson").hidden = !one;
    for (const link of byId("lessons").querySelectorAll("a")) {
      if (one && link.dataset.lesson === one.id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    if (!one) return;
    byId("lesson-title").textContent = one.title;
    byId("lesson-text").replaceChildren(...one.text.map((paragraph) => windtunnel.element("p", {}, paragraph)));
    const offered = [{ label: one.first, change: {} }, ...one.tries];
    const buttons = offered.map(({ label, change: patch }) => {
      const button = tunnel.knobs.button(label, () => {
        for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
        run(JSON.stringify(merged(one.scenario, patch)));
      }, { "aria-pressed": "false" });
      return button;
    });
    byId("tries").replaceChildren(...buttons);
  };

  const opened = async () => {
    let asked = { lesson: null, text: null };
    let unread = "";
    try {
      asked = await tunnel.address.read();
    } catch {
      unread = "The scenario in this address cannot be read: the address is cut off or was changed. This is the first lesson.";
    }
    const lessons = given("lessons-data");
    const known = lessons.find((one) => one.id === asked.lesson) || (asked.text ? null : lessons[0]);
    tunnel.charts.forget();
    described(known);
    if (!asked.text || !(await run(asked.text))) {
      if (!asked.text) await run(JSON.stringify(known.scenario));
      if (unread) say(unread, true);
      byId("tries").firstElementChild?.setAttribute("aria-pressed", "true");
    }
  };

  const contents = () => {
    const items = given("lessons-data").map((one, order) => {
      const link = windtunnel.element("a", { href: `#lesson=${one.id}`, "data-lesson": one.id }, `${order + 1}. ${one.title}`);
      return windtunnel.element("li", {}, link);
    });
    byId("lessons").replaceChildren(...items);
  };

  const save = () => {
    const link = windtunnel.element("a", { download: "scenario.json", href: URL.createObjectURL(new Blob([`${resolved()}\n`], { type: "application/json" })) });
    link.click();
    URL.revokeObjectURL(link.href);
  };

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      say("The link is in the clipboard.");
    } catch {
      say("The link is in the address bar: this browser gives pages from a disk no clipboard.");
    }
  };

  const start = async () => {
    contents();
    tunnel.look = given("look");
    catalogue = (await tunnel.core.start()).catalogue;
    tunnel.controls.start(catalogue, change);
    tunnel.player.start(moved);
    tunnel.charts.keys();
    byId("cancel").addEventListener("click", () => { tunnel.core.stop(); busy(false); say("Given up."); });
    byId("save").addEventListener("click", save);
    byId("copy").addEventListener("click", copy);
    byId("add").addEventListener("click", () => {
      const scenario = structuredClone(shown.answer.scenario);
      scenario.flows.push({ algorithm: scenario.flows.at(-1)?.algorithm || "cubic", rtt_s: scenario.flows.at(-1)?.rtt_s || 0.05 });
      change(scenario);
    });
    tunnel.address.watch(opened);
    await opened();
    document.body.dataset.ready = "true";
  };

  addEventListener("DOMContentLoaded", () => start().catch((error) => say(`This browser cannot run the simulator: ${error.message}`, true)));
  return { run, shown: () => shown };
})();
