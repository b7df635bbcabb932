// Simulated time against the reader's: play, pause, step, and the moment that is shown.
"use strict";

tunnel.player = (() => {
  const byId = (id) => document.getElementById(id);
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let now = 0;
  let end = 1;
  let step = 0.1;
  let playing = false;
  let last = 0;
  let moved = () => {};

  // Simulated seconds per second; the whole run in a quarter of a minute by default.
  const speed = () => {
    const chosen = byId("speed").value;
    return chosen === "fit" ? end / 15 : Number(chosen);
  };

  const put = (t_s) => {
    now = Math.min(Math.max(t_s, 0), end);
    byId("moment").value = String(now);
    byId("moment").setAttribute("aria-valuetext", `${windtunnel.number(now, 4)} of ${windtunnel.number(end, 4)} seconds`);
    byId("clock").textContent = `${now.toFixed(end < 5 ? 3 : end < 20 ? 2 : 1)} s`;
    moved(now);
  };

  const frame = (at) => {
    if (!playing) return;
    const passed = Math.min((at - last) / 1e3, 0.25);
    last = at;
    put(now + passed * speed());
    if (now >= end) pause();
    else requestAnimationFrame(frame);
  };

  const showState = () => {
    byId("play").setAttribute("aria-label", playing ? "Pause" : "Play");
    byId("play").dataset.state = playing ? "playing" : "paused";
  };

  const pause = () => {
    playing = false;
    showState();
  };

  const play = () => {
    if (now >= end) put(0);
    playing = true;
    last = performance.now();
    showState();
    requestAnimationFrame(frame);
  };

  // A run of `end_s` seconds, with samples every `sample_s`, shown from `from_s` on.
  const load = (end_s, step_s, sample_s, from_s, plays) => {
    end = end_s;
    step = step_s;
    Object.assign(byId("moment"), { max: String(end_s), step: String(sample_s) });
    byId("length").textContent = `of ${windtunnel.number(end_s, 5)} s`;
    if (plays && still.matches) put(end_s);
    else put(from_s);
    if (plays && !still.matches) play();
  };

  const isTyping = (target) => target.closest("input:not([type=range]), select, textarea, button, summary, a, [contenteditable]") !== null;

  const start = (onMoved) => {
    moved = onMoved;
    byId("play").addEventListener("click", () => (playing ? pause() : play()));
    byId("back").addEventListener("click", () => { pause(); put(0); });
    byId("end").addEventListener("click", () => { pause(); put(end); });
    byId("step").addEventListener("click", () => { pause(); put(now + step); });
    byId("moment").addEventListener("input", () => { pause(); put(Number(byId("moment").value)); });
    addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
      if (event.key === " ") (playing ? pause : play)();
      else if (event.key === ".") { pause(); put(now + step); }
      else if (event.key === ",") { pause(); put(now - step); }
      else return;
      event.preventDefault();
    });
  };

  return { start, load, play, pause, moment: () => now, isPlaying: () => playing };
})();
