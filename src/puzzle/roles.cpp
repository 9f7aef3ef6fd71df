// A residual net of width d has contract pieces (d × h), as many expand pieces (h × d) and one head
// (o × d). Nobody says which of the numbers in the shapes is d, so every one of them is tried: with
// the right d each piece has d on one side, each hidden width h occurs as often on the way in as on
// the way out, and exactly one piece, the head, is left over. Different hidden widths in one net
// are no obstacle. Where h = d the shapes fit but do not tell expand from contract: the weights do,
// more or less surely (square_roles.cpp). Where the head looks like an expand piece (o = h)
// somebody must say (--roles); where two widths fit, the data's number of features decides.
// One piece more than that makes an even number: then there is a stem before the blocks, the one
// piece d × features, and the rest is read as before. Everything else is refused with a list of the
// shapes.
#include "puzzle/roles.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "io/file.hpp"
#include "puzzle/square_roles.hpp"

namespace humpty::puzzle {
namespace {

std::string shape_list(const std::vector<Piece>& pieces) {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> count;
  for (const Piece& piece : pieces) ++count[{piece.weight.rows, piece.weight.cols}];
  std::vector<std::string> parts;
  for (const auto& [shape, times] : count) {
    if (parts.size() == 8) {
      parts.push_back(fmt::format("and {} more shapes", count.size() - 8));
      break;
    }
    parts.push_back(fmt::format("{} of {}×{}", times, shape.first, shape.second));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// A stream of this width passes through every piece. Asked first, it spares a census for each of
// the many widths that a hostile file can name.
bool all_have(const std::vector<Piece>& pieces, std::size_t d) {
  return std::all_of(pieces.begin(), pieces.end(), [&](const Piece& piece) {
    return piece.weight.rows == d || piece.weight.cols == d;
  });
}

struct Census {
  std::map<std::size_t, std::vector<std::size_t>> to;    // h → pieces h × d
  std::map<std::size_t, std::vector<std::size_t>> from;  // h → pieces d × h
  std::vector<std::size_t> square;                       // d × d
};

Census take_census(const std::vector<Piece>& pieces, std::size_t d,
                   std::optional<std::size_t> stem = {}) {
  Census census;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i == stem) continue;
    const std::size_t out = pieces[i].weight.rows, in = pieces[i].weight.cols;
    if (out == d && in == d)
      census.square.push_back(i);
    else if (in == d)
      census.to[out].push_back(i);
    else
      census.from[in].push_back(i);
  }
  return census;
}

// One way to read the shapes: the head's index, or why the shapes fit without telling it; and
// whether there are blocks whose two pieces have one shape.
struct Reading {
  std::size_t d = 0, features = 0;
  std::optional<std::size_t> head, stem;
  std::string doubt;
  bool squares = false;
};

std::size_t count(const std::map<std::size_t, std::vector<std::size_t>>& group, std::size_t width) {
  const auto found = group.find(width);
  return found == group.end() ? 0 : found->second.size();
}

std::set<std::size_t> widths(const Census& census) {
  std::set<std::size_t> all;
  for (const auto& [width, members] : census.to) all.insert(width);
  for (const auto& [width, members] : census.from) all.insert(width);
  return all;
}

// The pieces but for the stem, if there is one.
std::optional<Reading> read_blocks(const std::vector<Piece>& pieces, std::size_t d,
                                   std::optional<std::size_t> stem) {
  const Census census = take_census(pieces, d, stem);
  std::vector<std::size_t> surplus;  // widths with one expand-shaped piece too many
  for (std::size_t h : widths(census)) {
    const std::size_t to = count(census.to, h), from = count(census.from, h);
    if (to == from + 1)
      surplus.push_back(h);
    else if (to != from)
      return std::nullopt;
  }
  Reading reading;
  reading.d = d;
  reading.features = stem ? pieces[*stem].weight.cols : d;
  reading.stem = stem;
  const std::size_t squares = census.square.size();
  if (surplus.empty() && squares == 1 && pieces.size() > 1)
    reading.head = census.square[0];
  else if (surplus.size() == 1 && squares == 0 && count(census.to, surplus[0]) == 1 &&
           pieces.size() > 1)
    reading.head = census.to.at(surplus[0])[0];
  else if (surplus.size() == 1 && squares == 0 && pieces.size() > 1)
    reading.doubt = fmt::format("the head and {} expand pieces are all {}×{} (o = h)",
                                count(census.to, surplus[0]) - 1, surplus[0], d);
  else if (squares >= 2 && squares % 2 == 0 && surplus.size() == 1 &&
           count(census.to, surplus[0]) == 1)
    reading.head = census.to.at(surplus[0])[0], reading.squares = true;
  else if (squares >= 2 && (squares % 2 == 1 ? surplus.empty() : surplus.size() == 1))
    reading.doubt = fmt::format(
        "{} pieces are {}×{}: expand and contract look alike (h = d), and so does the head",
        squares, d, d);
  else
    return std::nullopt;
  return reading;
}

// Pieces d × features; where the number of features is unknown, those d × f whose width f is no
// expand piece's.
std::vector<std::size_t> possible_stems(const std::vector<Piece>& pieces, std::size_t d,
                                        std::size_t features) {
  const Census census = take_census(pieces, d);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::size_t width = pieces[i].weight.cols;
    if (pieces[i].weight.rows == d &&
        (features != 0 ? width == features : width != d && count(census.to, width) == 0))
      found.push_back(i);
  }
  return found;
}

std::optional<Reading> read_with_width(const std::vector<Piece>& pieces, std::size_t d,
                                       std::size_t features) {
  if (!all_have(pieces, d)) return std::nullopt;
  if (pieces.size() % 2 == 1) return read_blocks(pieces, d, std::nullopt);
  const std::vector<std::size_t> stems = possible_stems(pieces, d, features);
  if (stems.empty() || pieces.size() < 4) return std::nullopt;
  std::optional<Reading> reading = read_blocks(pieces, d, stems[0]);
  if (reading && stems.size() > 1) reading->head.reset();
  // A net whose head is missing looks like that too, d and h having changed sides.
  if (reading && !reading->head && features != 0 && all_have(pieces, features)) return std::nullopt;
  if (reading && stems.size() > 1)
    reading->doubt = fmt::format("{} pieces are {}×{}, and one of them is the stem", stems.size(),
                                 d, pieces[stems[0]].weight.cols);
  return reading;
}

// The shapes fit no residual net: say what is nearest to one.
[[noreturn]] void refuse(const std::vector<Piece>& pieces) {
  const std::string seen = shape_list(pieces);
  std::optional<std::string> best;
  std::size_t best_fit = 0;
  std::set<std::size_t> sides;
  for (const Piece& piece : pieces) sides.insert({piece.weight.rows, piece.weight.cols});
  for (std::size_t d : sides) {
    if (!all_have(pieces, d)) continue;
    const Census census = take_census(pieces, d);
    if (census.from.empty()) continue;
    std::size_t expand = 0, contract = 0, heads = 0, matched = 0;
    for (const auto& [h, members] : census.from) {
      contract += members.size();
      expand += count(census.to, h);
      matched += std::min(members.size(), count(census.to, h));
    }
    for (const auto& [h, members] : census.to)
      if (count(census.from, h) == 0) heads += members.size();
    heads += census.square.size();
    if (best && matched <= best_fit) continue;
    best_fit = matched;
    if (expand != contract)
      best = fmt::format(
          "{} expand and {} contract pieces (stream width {}): a piece is missing or too many; "
          "--salvage puts together what belongs together",
          expand, contract, d);
    else if (heads == 0)
      best = fmt::format("{} blocks of stream width {} but no head (a piece with {} inputs)",
                         expand, d, d);
    else
      best = fmt::format(
          "{} blocks of stream width {} and {} pieces that could be the head; a net has one "
          "(--salvage finds it)",
          expand, d, heads);
  }
  throw Error(
      ErrorCode::bad_shape,
      best ? fmt::format("{}; the shapes are: {}", *best, seen)
           : fmt::format("the shapes fit no residual net (n of h×d, n of d×h, one o×d): {}", seen));
}

void set_roles(std::vector<Piece>& pieces, const Reading& reading) {
  for (std::size_t i = 0; i < pieces.size(); ++i)
    pieces[i].role = i == *reading.head                   ? Role::head
                     : i == reading.stem                  ? Role::stem
                     : pieces[i].weight.cols == reading.d ? Role::expand
                                                          : Role::contract;
}

std::vector<Reading> read_shapes(const std::vector<Piece>& pieces, std::size_t features) {
  std::set<std::size_t> sides;
  for (const Piece& piece : pieces) sides.insert({piece.weight.rows, piece.weight.cols});
  std::vector<Reading> readings;
  for (std::size_t d : sides)
    if (auto reading = read_with_width(pieces, d, features)) readings.push_back(*reading);
  return readings;
}

}  // namespace

double find_roles(std::vector<Piece>& pieces, std::size_t features) {
  std::vector<Reading> readings = read_shapes(pieces, features);
  if (readings.empty()) refuse(pieces);
  if (readings.size() > 1)
    std::erase_if(readings,
                  [&](const Reading& r) { return features != 0 && r.features != features; });
  if (readings.size() != 1)
    throw Error(ErrorCode::bad_shape,
                "the shapes fit residual nets of several widths and the data fits none or "
                "several of them: " +
                    shape_list(pieces));
  if (!readings[0].head)
    throw Error(
        ErrorCode::bad_shape,
        fmt::format("shapes alone cannot tell the roles: {}; state them in a file (--roles)",
                    readings[0].doubt));
  set_roles(pieces, readings[0]);
  if (!readings[0].squares) return 1;
  if (pieces[0].weight.values.empty())
    throw Error(ErrorCode::bad_shape,
                "expand and contract pieces look alike (h = d), and there are no weights to tell");
  return tell_square_roles(pieces, readings[0].d);
}

namespace {

Role role_named(std::string_view word, const Where& where) {
  for (Role role : {Role::stem, Role::expand, Role::contract, Role::head})
    if (name(role) == word) return role;
  throw Error(ErrorCode::bad_format,
              fmt::format("'{}' is no role; lines are 'ID expand', 'ID contract', 'ID head' or "
                          "'ID stem'",
                          one_line(word.substr(0, 40))),
              where);
}

// Takes the next word off the line; empty at its end.
std::string_view next_word(std::string_view& line) {
  const std::size_t start = std::min(line.find_first_not_of(" \t\r,:"), line.size());
  const std::size_t end = std::min(line.find_first_of(" \t\r,:", start), line.size());
  const std::string_view word = line.substr(start, end - start);
  line.remove_prefix(end);
  return word;
}

std::map<int, Role> read_roles(const std::string& path) {
  const io::File file(path);
  std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  std::map<int, Role> roles;
  for (std::uint64_t number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    line = line.substr(0, line.find('#'));
    const Where where{.file = path, .line = number};
    const std::string_view id_word = next_word(line);
    if (id_word.empty()) continue;
    int id = 0;
    const auto parsed = std::from_chars(id_word.data(), id_word.data() + id_word.size(), id);
    if (parsed.ec != std::errc() || parsed.ptr != id_word.data() + id_word.size())
      throw Error(ErrorCode::bad_format, "a line starts with a piece's id, as in '17 expand'",
                  where);
    if (!roles.emplace(id, role_named(next_word(line), where)).second)
      throw Error(ErrorCode::bad_format, fmt::format("piece {} has a role already", id), where);
  }
  return roles;
}

}  // namespace

// n of h × d and n of d × h for every h.
void check_sides(const std::vector<Piece>& pieces, std::size_t d, const std::string& path) {
  std::map<std::size_t, std::ptrdiff_t> surplus;  // h → expand less contract pieces
  for (const Piece& piece : pieces) {
    if (piece.role == Role::head) continue;
    const bool expand = piece.role == Role::expand;
    if ((expand ? piece.weight.cols : piece.weight.rows) != d)
      throw Error(ErrorCode::bad_shape,
                  fmt::format("piece {} is {}×{} and cannot be an {} piece of a stream of width {}",
                              piece.id, piece.weight.rows, piece.weight.cols, name(piece.role), d),
                  {.file = path});
    if (piece.role == Role::stem) continue;
    surplus[expand ? piece.weight.rows : piece.weight.cols] += expand ? 1 : -1;
  }
  for (const auto& [h, more] : surplus)
    if (more != 0)
      throw Error(
          ErrorCode::bad_shape,
          fmt::format("of hidden width {} there are {} more {} than {} pieces", h, std::abs(more),
                      more > 0 ? "expand" : "contract", more > 0 ? "contract" : "expand"),
          {.file = path});
}

void check_roles(const std::vector<Piece>& pieces, const std::string& path) {
  const auto is_head = [](const Piece& piece) { return piece.role == Role::head; };
  const auto heads = std::count_if(pieces.begin(), pieces.end(), is_head);
  if (heads != 1)
    throw Error(ErrorCode::bad_shape, fmt::format("{} heads are stated; a net has one", heads),
                {.file = path});
  const auto stems = std::count_if(pieces.begin(), pieces.end(),
                                   [](const Piece& piece) { return piece.role == Role::stem; });
  if (stems > 1)
    throw Error(ErrorCode::bad_shape,
                fmt::format("{} stems are stated; a net has one at most", stems), {.file = path});
  check_sides(pieces, std::find_if(pieces.begin(), pieces.end(), is_head)->weight.cols, path);
}

void state_roles(std::vector<Piece>& pieces, const std::string& path) {
  const std::map<int, Role> roles = read_roles(path);
  for (Piece& piece : pieces) {
    const auto found = roles.find(piece.id);
    if (found == roles.end())
      throw Error(ErrorCode::bad_data,
                  fmt::format("no role for piece {}; name all {} pieces", piece.id, pieces.size()),
                  {.file = path});
    piece.role = found->second;
  }
  if (roles.size() != pieces.size())
    throw Error(ErrorCode::bad_data,
                fmt::format("{} roles for {} pieces", roles.size(), pieces.size()), {.file = path});
  check_roles(pieces, path);
}

bool fits_a_net(const std::vector<Piece>& pieces, std::size_t features) {
  const std::vector<Reading> readings = read_shapes(pieces, features);
  return std::any_of(readings.begin(), readings.end(), [&](const Reading& reading) {
    return features == 0 || reading.features == features;
  });
}

}  // namespace humpty::puzzle
