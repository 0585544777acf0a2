// Keeps the bar of who acts at the moment of its video. The page works without it.
for (const box of document.querySelectorAll(".timeline")) {
  const video = box.parentElement.querySelector("video");
  const runs = JSON.parse(box.dataset.runs);
  const ticks = Number(box.dataset.ticks), rate = Number(box.dataset.rate);
  const bar = box.querySelector(".bar"), head = box.querySelector(".head");
  const now = box.querySelector(".now");
  const show = () => {
    const tick = Math.min(ticks, 1 + Math.floor(video.currentTime * rate + 1e-3));
    let end = 0, run = runs[0];
    for (run of runs) if ((end += run[2]) >= tick) break;
    head.style.left = `${(100 * tick) / ticks}%`;
    now.textContent = `tick ${tick} of ${ticks}: ${run[0]} (${run[1]})`;
    box.dataset.tick = tick;
  };
  const follow = () => {
    show();
    if (!video.paused) requestAnimationFrame(follow);
  };
  video.addEventListener("play", follow);
  video.addEventListener("seeked", show);
  bar.addEventListener("click", (event) => {
    const place = bar.getBoundingClientRect();
    const tick = Math.ceil(((event.clientX - place.left) / place.width) * ticks);
    video.currentTime = (Math.max(tick, 1) - 0.5) / rate;
  });
}
// A video is fetched, and shows its first picture, when it comes near the screen.
const near = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    entry.target.preload = "metadata";
    near.unobserve(entry.target);
  }
}, { rootMargin: "600px" });
for (const video of document.querySelectorAll("video")) {
  near.observe(video);
  video.addEventListener("error", () => {
    const words = document.createElement("p");
    words.className = "note warn";
    words.textContent = "This video is a file beside the page, which is not here. It is in the run folder.";
    video.replaceWith(words);
  });
}
