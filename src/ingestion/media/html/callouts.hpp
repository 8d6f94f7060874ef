// callouts.hpp — notes, warnings and tips that a page sets apart, as quotes with a kind.
#pragma once

#include "ingestion/media/html/dom.hpp"

namespace belay::media::html {

// Turns admonitions (`class="admonition note"`, `alert alert-info`, `markdown-alert-tip`,
// `data-callout="info"`) into <blockquote data-callout=kind data-callout-title=…>.
void mark_callouts(Node& root);

}  // namespace belay::media::html
