// The file that a made-up host would load: it carries events to {hook} and answers back.
export default function () {}
