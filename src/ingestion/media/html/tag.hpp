// tag.hpp — the elements that extraction knows by name, and what kind each of them is.
#pragma once

#include <cstdint>
#include <string_view>

namespace belay::media::html {

// In alphabetical order, which is what the table of names in tag.cpp relies on. `Other` is an element
// with any other name (its name is in the node), `Text` is not an element.
enum class Tag : std::uint8_t {
    A,
    Abbr,
    Address,
    Annotation,
    Area,
    Article,
    Aside,
    Audio,
    B,
    Base,
    Blockquote,
    Body,
    Br,
    Button,
    Canvas,
    Caption,
    Center,
    Cite,
    Code,
    Col,
    Colgroup,
    Dd,
    Del,
    Details,
    Dfn,
    Dialog,
    Div,
    Dl,
    Dt,
    Em,
    Embed,
    Fieldset,
    Figcaption,
    Figure,
    Font,
    Footer,
    Form,
    Frame,
    H1,
    H2,
    H3,
    H4,
    H5,
    H6,
    Head,
    Header,
    Hgroup,
    Hr,
    Html,
    I,
    Iframe,
    Img,
    Input,
    Ins,
    Kbd,
    Label,
    Legend,
    Li,
    Link,
    Main,
    Mark,
    Math,
    Menu,
    Meta,
    Nav,
    Noscript,
    Object,
    Ol,
    Optgroup,
    Option,
    P,
    Picture,
    Pre,
    Progress,
    Q,
    Rp,
    Rt,
    Ruby,
    S,
    Samp,
    Script,
    Section,
    Select,
    Small,
    Source,
    Span,
    Strike,
    Strong,
    Style,
    Sub,
    Summary,
    Sup,
    Svg,
    Table,
    Tbody,
    Td,
    Template,
    Textarea,
    Tfoot,
    Th,
    Thead,
    Time,
    Title,
    Tr,
    Track,
    Tt,
    U,
    Ul,
    Var,
    Video,
    Wbr,
    Other,
    Text,
};

// The tag of a lower-case element name; Other if it is not in the list.
Tag tag_of(std::string_view name);

// The name; empty for Other and Text.
std::string_view name_of(Tag tag);

// h1 to h6; level_of gives 1 to 6, and 0 for any other tag.
bool is_heading(Tag tag);
int level_of(Tag tag);

// Starts on a line of its own when a browser shows it.
bool is_block(Tag tag);

// Has no content and no end tag.
bool is_void(Tag tag);

// Carries no text that a reader sees: script, style, template and the like.
bool is_invisible(Tag tag);

}  // namespace belay::media::html
