export default function (pi) {
  pi.on("tool_call", async () => undefined);
}
