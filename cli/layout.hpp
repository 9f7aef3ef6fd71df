// Text as a terminal shows it: how wide it is, where it breaks, which characters it can have.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace humpty::cli {

// Columns of the terminal at a descriptor; where there is none as many as $COLUMNS says, or 80.
std::size_t columns(int descriptor);

std::size_t width_of(std::string_view text);                        // in characters of UTF-8
std::string cut_to(std::string_view text, std::size_t characters);  // no more than so many

// Words filled into lines of at most `width`; all but the first are indented.
std::string wrapped(std::string_view words, std::size_t indent, std::size_t width);

// A name and, from a column of its own, what it means. This and the next are for the locale.
std::string entry_text(const std::string& name, std::string_view meaning, std::size_t width);

// Paragraphs filled anew. Indented lines are commands: those too long go on behind a backslash,
// so that they can still be copied.
std::string filled(std::string_view text, std::size_t width);

// The same in ASCII where the locale has no UTF-8. Names of files stay as they are.
std::string for_locale(std::string_view text);

}  // namespace humpty::cli
