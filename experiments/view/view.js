// Draws the charts of a page and keeps it up to date while a run goes on.
const data = JSON.parse(document.getElementById("data").textContent) || {};
const runs = data.runs || [];
const COLUMNS = { success: "success_rate", return: "episode_return", entropy: "entropy",
  speed: "steps_per_second" };
const dark = matchMedia("(prefers-color-scheme: dark)");
const narrow = matchMedia("(max-width: 36rem)");
const WHEEL = ["#3a86c8", "#d1603d", "#2a9d8f", "#b07aa1", "#e9a23b", "#76945c", "#e15f8a", "#8d99ae"];
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function traces(column, one) {
  return runs.map((run, i) => {
    const rows = run.rows.filter((row) => row[column] !== null);
    return { x: rows.map((row) => row.ticks), y: rows.map((row) => row[column]), name: run.name,
      type: "scatter", mode: rows.length > 1 ? "lines" : "markers",
      line: { color: one ? colour("--accent") : WHEEL[i % WHEEL.length], width: 2 } };
  });
}

// Evaluations stand at the end of the training of their iteration.
function evaluations(one) {
  return runs.map((run, i) => {
    const end = (e) => Math.max(0, ...run.rows.filter((row) => row.iteration <= e.iteration)
      .map((row) => row.ticks));
    const rate = (i) => run.evaluations.map((e) => e.success[i]);
    const [mid, low, high] = [rate(0), rate(1), rate(2)];
    return { x: run.evaluations.map(end), y: mid, mode: "markers", type: "scatter",
      name: one ? "validation" : `${run.name}, validation`, showlegend: one,
      marker: { size: 9, symbol: "diamond", color: one ? colour("--warm") : WHEEL[i % WHEEL.length] },
      error_y: { type: "data", symmetric: false, array: high.map((h, i) => h - mid[i]),
        arrayminus: low.map((l, i) => mid[i] - l), color: colour("--quiet") } };
  });
}

function draw() {
  const one = runs.length === 1;
  for (const [name, column] of Object.entries(COLUMNS)) {
    const place = document.getElementById(`chart-${name}`);
    if (!place || !window.Plotly) continue;
    const found = traces(column, one);
    if (name === "success") found.push(...evaluations(one));
    place.parentElement.hidden = !found.some((trace) => trace.x.length);
    if (place.parentElement.hidden) continue;
    const axis = { gridcolor: colour("--line"), zeroline: false, automargin: true };
    const layout = { paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: colour("--ink"), size: 12 }, margin: { l: 44, r: 10, t: 8, b: 36 },
      xaxis: { ...axis, title: { text: "environment steps" } },
      yaxis: { ...axis, ...(name === "success" ? { range: [0, 1.02], tickformat: ".0%" } : {}),
        ...(name === "speed" ? { rangemode: "tozero" } : {}) },
      showlegend: !one || name === "success",
      legend: { orientation: "h", y: narrow.matches ? -0.35 : -0.28, font: { size: 11 } } };
    Plotly.react(place, found, layout, { displaylogo: false, responsive: true,
      displayModeBar: false });
  }
}

async function ask(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer.json();
}

async function followRun() {
  const run = runs[0];
  while (run.status === "running") {
    await new Promise((done) => setTimeout(done, 2000));
    let now;
    try {
      now = await ask(`live.json?start=${run.rows.length}`);
      // A killed run that goes on has lost rows: begin anew.
      const last = run.rows.at(-1);
      if (last && now.ticks < last.ticks) now = { ...(await ask("live.json?start=0")), anew: true };
      run.rows = now.anew ? now.rows : run.rows.concat(now.rows);
    } catch {
      document.getElementById("told").textContent = "The viewer does not answer; trying again.";
      continue;
    }
    Object.assign(run, { status: now.status, evaluations: now.evaluations, ticks: now.ticks });
    document.getElementById("state").innerHTML = now.html.state; // escaped by the server
    document.getElementById("told").textContent = now.html.told;
    document.getElementById("evals").innerHTML = now.html.evals;
    document.getElementById("progress").value = now.ticks;
    draw();
  }
}

async function followList() {
  for (;;) {
    await new Promise((done) => setTimeout(done, 5000));
    try {
      const states = await ask("/live.json");
      for (const place of document.querySelectorAll("[data-live]")) {
        const words = states[place.dataset.live];
        if (words) place.innerHTML = words; // escaped by the server
      }
    } catch { /* the viewer is gone; the page stays as it is */ }
  }
}

draw();
dark.addEventListener("change", draw);
narrow.addEventListener("change", draw);
if (data.page === "run") followRun();
if (data.page === "list") followList();
