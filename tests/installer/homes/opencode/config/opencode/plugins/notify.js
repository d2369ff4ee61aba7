export const Notify = async ({ $ }) => ({
  event: async ({ event }) => {
    if (event.type === "session.idle") await $`printf '\a'`.nothrow()
  },
})
