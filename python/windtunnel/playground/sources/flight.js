// Changes in flight: they are written into the scenario at the moment that is shown, and what was before stays as it was, to the bit.
"use strict";

tunnel.flight = (() => {
  const { number, choice, button } = tunnel.knobs;
  const LISTS = ["rate_steps", "delay_steps", "queue_steps", "outages"];

  // The moment, on the grid of samples; a change needs one past the start.
  const moment = (scenario) => Math.max(Math.round(tunnel.player.moment() / scenario.sample_s) * scenario.sample_s, scenario.sample_s);
  const tidy = (t_s) => Number(t_s.toPrecision(9));

  // Steps up to now stay; later ones would undo what the reader asks for.
  const stepped = (list, at_s, more) => [...(list || []).filter((one) => one.at_s < at_s), { at_s, ...more }];

  const rateAt = (link, t_s) => (link.rate_steps || []).reduce((rate, step) => (step.at_s <= t_s ? step.rate_bps : rate), link.rate_bps);

  const queueOf = (link, step) => tunnel.controls.queuePackets({ ...step, rate_bps: link.rate_bps });
  const queueAt = (link, t_s) => (link.queue_steps || []).reduce((packets, step) => (step.at_s <= t_s ? queueOf(link, step) : packets), queueOf(link, link));

  // What the path ever holds grows with these.
  const holds = (link) =>
    Math.max(link.rate_bps, ...(link.rate_steps || []).map((step) => step.rate_bps)) * (1 + Math.max(0, ...(link.delay_steps || []).map((step) => step.extra_s)));

  const longestQueue = (link) => Math.max(queueOf(link, link), ...(link.queue_steps || []).map((step) => queueOf(link, step)));
  const holdsMore = (link, before) => holds(link) > holds(before) || longestQueue(link) > longestQueue(before);

  // A receiver's window is by default four times what the path ever holds. Where a change makes that more, each flow keeps the window that it had:
  // otherwise what was before the change would not stay as it was.
  const keepWindows = (scenario, copy) => {
    const { windows } = tunnel.core.fill(JSON.stringify(scenario)).ok;
    scenario.flows.forEach((flow, order) => {
      if (flow.window_packets === null && !flow.window_bytes) copy.flows[order].window_packets = windows[order];
    });
  };

  const show = (scenario, catalogue, give) => {
    const link = scenario.bottleneck;
    const changed = (edit) => {
      const copy = structuredClone(scenario);
      edit(copy, tidy(moment(scenario)));
      if (holdsMore(copy.bottleneck, link)) keepWindows(scenario, copy);
      give(copy, { keepsMoment: true });
    };
    const now = tunnel.player.moment();
    const box = document.getElementById("flight");
    const rows = [
      number({
        label: "Rate from now on", unit: "Mbit/s", min: 0.1, max: 10000, value: rateAt(link, now) / 1e6,
        changed: (value) => changed((copy, at_s) => { copy.bottleneck.rate_steps = stepped(copy.bottleneck.rate_steps, at_s, { rate_bps: value * 1e6 }); }),
      }),
      number({
        label: "Added to every round trip from now on", unit: "ms", min: 0, max: 1000, floor: 0.1, value: 0,
        changed: (value) => changed((copy, at_s) => { copy.bottleneck.delay_steps = stepped(copy.bottleneck.delay_steps, at_s, { extra_s: value / 1e3 }); }),
      }),
      number({
        label: "Queue from now on", unit: "packets", min: 1, max: 100000, whole: true, value: queueAt(link, now), hint: "What stands in it stays; what finds it full is dropped.",
        changed: (value) => changed((copy, at_s) => { copy.bottleneck.queue_steps = stepped(copy.bottleneck.queue_steps, at_s, { queue_packets: value }); }),
      }),
      choice({
        label: "A flow more from now on", value: "", choices: [["", "choose"], ...catalogue.algorithms.map((law) => [law.name, law.name, law.family])],
        changed: (name) => name && changed((copy, at_s) => { copy.flows.push({ algorithm: name, rtt_s: copy.flows[0]?.rtt_s ?? 0.05, start_s: at_s }); }),
      }),
      windtunnel.element("p", { class: "quick" },
        button("Cut the link for half a second", () => changed((copy, at_s) => { copy.bottleneck.outages = [...(copy.bottleneck.outages || []).filter((one) => one.at_s + one.length_s < at_s), { at_s, length_s: 0.5 }]; })),
        ...scenario.flows.slice(0, 8).flatMap((flow, order) => (flow.stop_s === null && scenario.flows.length > 1
          ? [button(`Stop flow ${order + 1}`, () => changed((copy, at_s) => { copy.flows[order].stop_s = Math.max(at_s, tidy(flow.start_s + scenario.sample_s)); }))] : []))),
    ];
    box.replaceChildren(...rows);
    list(scenario, give);
  };

  const told = {
    rate_steps: (one) => `the rate becomes ${windtunnel.number(one.rate_bps / 1e6, 4)} Mbit/s`,
    delay_steps: (one) => `${windtunnel.number(one.extra_s * 1e3, 4)} ms are added to every round trip`,
    queue_steps: (one, link) => `the queue becomes ${windtunnel.number(queueOf(link, one), 5)} packets long`,
    outages: (one) => `the link is cut for ${windtunnel.number(one.length_s, 3)} s`,
  };

  // What changes, when, each with a button that takes it back.
  const list = (scenario, give) => {
    const rows = LISTS.flatMap((name) => (scenario.bottleneck[name] || []).map((one, order) => ({ at_s: one.at_s, text: told[name](one, scenario.bottleneck), undo: (copy) => copy.bottleneck[name].splice(order, 1) })));
    scenario.flows.forEach((flow, order) => {
      if (flow.stop_s !== null) rows.push({ at_s: flow.stop_s, text: `flow ${order + 1} stops`, undo: (copy) => { copy.flows[order].stop_s = null; } });
    });
    const capped = scenario.flows.findIndex((flow) => flow.window_packets !== null);
    rows.sort((one, other) => one.at_s - other.at_s);
    const item = ({ at_s, text, undo }) => windtunnel.element("li", {}, `At ${windtunnel.number(at_s, 5)} s ${text}.`, button("Take back", () => {
      const copy = structuredClone(scenario);
      undo(copy);
      give(copy, { keepsMoment: true });
    }, { class: "plain", "aria-label": `Take back: at ${windtunnel.number(at_s, 5)} s ${text}` }));
    const box = document.getElementById("changes");
    box.replaceChildren(...rows.map(item));
    if (rows.length && capped >= 0) {
      const text = `No window grows beyond ${scenario.flows[capped].window_packets} packets, four times what the path held before the change: the receivers have so much room.`;
      box.append(windtunnel.element("li", { class: "hint" }, text));
    }
    box.hidden = rows.length === 0;
  };

  return { show, rateAt, queueAt, queueOf };
})();
