export default function (pi) {
  pi.registerCommand("mine", { description: "mine", handler: async () => {} });
}
