// prepare.hpp — takes out what no reader sees, and puts in what scripts would have.
#pragma once

#include "ingestion/media/html/dom.hpp"

namespace belay::media::html {

// Moves content that a server streamed in hidden containers to its place, as the page's own script
// would (React's `$RC("B:0", "S:0")`). Call before remove_invisible, which takes the scripts away.
void place_streamed_parts(Node& root);

// Gives images that load late their address (data-src, srcset, a <noscript> copy beside a placeholder).
void resolve_lazy_images(Document& document, Node& root);

// Removes scripts, styles, templates, form controls and the like.
void remove_invisible(Node& root);

// Removes what styles or attributes hide. False if that would take most of the page's text away (a
// page that shows itself by script): then nothing was removed.
bool remove_hidden(Node& root);

// Removes what readers wrote below the article, unless there is hardly anything else on the page (a
// forum, a thread).
void remove_comment_threads(Node& root);

}  // namespace belay::media::html
