// humpty: puts dropped residual networks back together.
//
//   auto puzzle   = humpty::read_puzzle({"historical_data_and_pieces"});
//   auto solution = humpty::solve(puzzle);            // pairs, orders, verifies
//   fmt::print("{}\n", solution.permutation_text());  // 43,34,65,22,…
//
// The library neither prints nor exits. Whatever goes wrong is a humpty::Error that says what and
// where. The same input and options give the same answer at any number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace humpty {

std::string_view version();

// ---------------------------------------------------------------------------------------- errors

enum class ErrorCode {
  usage,         // an option or argument makes no sense
  not_found,     // a path does not exist
  unreadable,    // the operating system would not let us read it
  bad_format,    // the bytes are not what the format promises
  unsafe,        // names something outside the allow-list, or a path outside its folder
  too_large,     // a size overflows, or is more than the file can hold
  bad_shape,     // the shapes make no residual net
  bad_value,     // NaN or infinity where a finite number is needed
  bad_data,      // the table of rows does not fit the net
  not_writable,  // the output could not be written; nothing was left behind
  cancelled,     // the caller's CancelFlag was set
};
std::string_view name(ErrorCode code);

// Where an error is: whatever of it is known.
struct Where {
  std::string file = {};
  std::string tensor = {};
  std::optional<std::uint64_t> offset = {};  // byte in the file (or in the archive's entry)
  std::optional<std::uint64_t> line = {};    // from 1
  std::optional<std::uint64_t> column = {};  // from 1
};

class Error : public std::exception {
 public:
  Error(ErrorCode code, const std::string& message, Where where = {});
  ErrorCode code() const noexcept { return code_; }
  const Where& where() const noexcept { return where_; }
  const std::string& message() const noexcept { return message_; }  // without the place
  const char* what() const noexcept override {
    return what_.c_str();
  }  // "place: message", one line

 private:
  ErrorCode code_;
  Where where_;
  std::string message_, what_;
};

// Whoever sets it, from any thread, ends the call that was given it: with ErrorCode::cancelled and
// within moments, where a stop by OnProgress (below) ends it with the best so far.
using CancelFlag = std::atomic<bool>;

// --------------------------------------------------------------------------------------- puzzles

// Floats as in a std::vector, in memory of their own or in somebody else's, which the owner keeps
// alive and which is never written to: the first call that could write makes a copy. So an array
// of a caller (NumPy's, a mapped file's) goes through all of this library without being copied.
class Values {
 public:
  using value_type = float;
  using iterator = float*;
  using const_iterator = const float*;

  Values() = default;
  Values(std::vector<float> own) : own_(std::move(own)) {}
  Values(std::initializer_list<float> own) : own_(own) {}
  Values(const float* data, std::size_t size, std::shared_ptr<const void> owner)
      : owner_(std::move(owner)), data_(data), size_(size) {}

  const float* data() const { return owner_ ? data_ : own_.data(); }
  std::size_t size() const { return owner_ ? size_ : own_.size(); }
  bool empty() const { return size() == 0; }
  const float* begin() const { return data(); }
  const float* end() const { return data() + size(); }
  float operator[](std::size_t i) const { return data()[i]; }

  float* data() { return own().data(); }
  float* begin() { return data(); }
  float* end() { return data() + size(); }
  float& operator[](std::size_t i) { return own()[i]; }
  void clear() { *this = Values(); }
  void reserve(std::size_t size) { own().reserve(size); }
  void resize(std::size_t size) { own().resize(size); }
  void assign(std::size_t size, float value) { *this = std::vector<float>(size, value); }
  void push_back(float value) { own().push_back(value); }
  template <class Iterator>
  void append(Iterator first, Iterator last) {
    own().insert(own().end(), first, last);
  }

  // The vector itself, as a copy where the memory is somebody else's.
  std::vector<float>& own() {
    if (owner_) {
      own_.assign(data_, data_ + size_);
      owner_.reset();
    }
    return own_;
  }

  friend bool operator==(const Values& a, const Values& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend bool operator!=(const Values& a, const Values& b) { return !(a == b); }

 private:
  std::vector<float> own_;
  std::shared_ptr<const void> owner_;  // none: the vector holds them
  const float* data_ = nullptr;
  std::size_t size_ = 0;
};

// Row-major: values[r * cols + c].
struct Matrix {
  std::size_t rows = 0, cols = 0;
  Values values;

  const float* row(std::size_t r) const { return values.data() + r * cols; }
  float* row(std::size_t r) { return values.data() + r * cols; }
};

enum class Activation { relu, leaky, gelu, gelu_tanh, silu, tanh, identity };
enum class Role { stem, expand, contract, head };

std::string_view name(Activation activation);
std::string_view name(Role role);
Activation activation_named(std::string_view name);
const std::vector<Activation>& all_activations();

// What runs at a place of a net of so many pieces: (stem,) in, out, in, out, …, head. An even
// number of them has a stem, a projection of the features (d × features) before the blocks.
Role role_at(std::size_t place, std::size_t pieces);
inline std::size_t first_block(std::size_t pieces) { return pieces % 2 == 0 ? 1 : 0; }

// One linear layer as found: y = weight · x + bias. No bias means zeros.
struct Piece {
  int id = 0;
  std::string file;         // where it came from: "piece_3.pth", or "net.npz: t17 with t4"
  Matrix weight;            // out × in
  std::vector<float> bias;  // out
  Role role = Role::expand;
  std::string dtype = "float32", bias_dtype = "float32";  // as stored
  std::optional<std::size_t> graph_place = {};  // when its file's own graph (ONNX) applies it
};

// The data: one row per example, and what the original net answered.
struct Rows {
  Matrix features;  // rows × d
  Matrix target;    // rows × o
  std::vector<std::string> feature_names, target_names;
};

// What the target is. Only `outputs` can back a verdict of exact.
enum class Target {
  outputs,        // what the net answered
  probabilities,  // softmax (one output: the logistic function) of what it answered
  truth,          // what it was trained to answer
  none,           // no rows at all
};
std::string_view name(Target target);

struct Puzzle {
  std::vector<Piece> pieces;  // by id
  Rows rows;
  Activation activation = Activation::relu;
  Target target = Target::outputs;
  std::vector<std::string> notes = {};  // what was guessed, turned or left out in reading
  bool activation_known = true;  // false: `activation` is a first guess, the data must settle it
  double roles_confidence = 1;   // less: shapes do not tell the roles, the weights did

  std::vector<std::size_t> with_role(Role role) const;  // indices into pieces
  std::size_t blocks() const { return with_role(Role::expand).size(); }
  const Piece* stem() const;  // null: the features are the stream
  const Piece& piece(int id) const;
};

struct ReadOptions {
  std::string data = {};  // file with the rows; empty: the one in the folder; -: standard input
  std::string target_file = {};  // file with the target, where that is apart from the features
  // Columns of a table or keys of arrays, comma-joined; each a name or the stem of several (x_0,
  // x_1, …). Where there is no `pred` and no other target is asked for, what looks like it is
  // taken.
  std::string target = "pred";
  std::string features = {};  // empty: whatever is no answer
  bool drop_missing = false;  // leaves out rows that lack a value; otherwise they are an Error
  std::string key = {};       // where in a training checkpoint the net is; empty: found
  bool transposed = false;    // weights are stored in × out (seen by itself where the shapes tell)
  bool probabilities = false;  // the target is softmax, or the logistic function, of the outputs
  bool no_data = false;        // weights only
  bool data_optional = false;  // weights only where no file with rows is found
  bool heap = false;           // pieces may be missing or too many: for salvage
  std::optional<Activation> activation = {};  // none: settled by the data
  std::string roles = {};                     // file that states the roles; empty: found
  unsigned threads = 0;                       // 0: all cores
  const CancelFlag* cancel = nullptr;
};

// A folder as published (`pieces/` and one `.csv`), or files and folders with pieces: a layer in
// each file, all of them in one, or weights and biases apart. An id is the number in the name of
// the file, or else of the tensor, where these are distinct, otherwise the place in natural order.
Puzzle read_puzzle(const std::vector<std::string>& paths, const ReadOptions& options = {});

// A table from memory as rows: which columns are features and which the target is told as
// read_puzzle tells it. NaN is a missing value. What was guessed is added to `notes`.
Rows make_rows(std::vector<std::string> names, Matrix values, const ReadOptions& options = {},
               std::vector<std::string>* notes = nullptr);

// The pieces alone, by id: no data, no roles. What was guessed is added to `notes`.
std::vector<Piece> read_pieces(const std::vector<std::string>& paths,
                               const ReadOptions& options = {},
                               std::vector<std::string>* notes = nullptr);

// The same from memory: finds the roles and checks that everything fits.
Puzzle make_puzzle(std::vector<Piece> pieces, Rows rows, Activation activation = Activation::relu);

// As read_puzzle does it, with what of the options does not speak of files. No rows: weights only.
Puzzle make_puzzle(std::vector<Piece> pieces, Rows rows, const ReadOptions& options);

// The blocks in any order, the head and maybe a stem: roles as given, ids 0, 1, 2, 3, …
struct Blocks {
  std::vector<std::pair<Piece, Piece>> blocks;  // expand and contract pieces
  Piece head;
  std::optional<Piece> stem = {};
};
Puzzle make_puzzle(Blocks blocks, Rows rows, const ReadOptions& options);

// Tensors by name, as a file holds them.
struct NamedTensor {
  std::string name;
  std::vector<std::uint64_t> shape;
  Values values;                  // row-major
  std::string dtype = "float32";  // as they were before: "float64", "float16", "bfloat16"
};
struct NamedTensors {
  std::string file;  // or whatever name the set goes by
  std::vector<NamedTensor> tensors;
};

// As read_pieces, the files given by what is in them. `features`: as many as the rows have, where
// that is known (0: it is not).
std::vector<Piece> make_pieces(std::vector<NamedTensors> files, const ReadOptions& options = {},
                               std::size_t features = 0, std::vector<std::string>* notes = nullptr);

struct TensorFacts {
  std::string name, dtype;  // as stored: "weight", "float32"
  std::vector<std::uint64_t> shape;
  double norm = 0;  // root of the sum of squares; this and the range are of the finite values
  std::optional<std::pair<double, double>> range;  // least and greatest, where there is any
  std::size_t non_finite = 0;
};

struct FileFacts {
  std::string file;
  std::vector<TensorFacts> tensors;
  std::vector<std::string> skipped;  // "tensor 'steps': int64 is not read"
  std::string error;                 // why it could not be read; empty: it could
};

struct PieceFacts {
  int id = 0;
  std::string file;  // as in Piece
  std::optional<Role> role;
  TensorFacts weight;
  std::optional<TensorFacts> bias;
  bool transposed = false;  // stored in × out
};

struct ColumnFacts {
  std::string name, use;  // "feature", "target", "unused", or "?" where the target is missing
  std::optional<std::pair<double, double>> range;  // one number twice: the column is constant
};

struct TableFacts {
  std::string file, error;  // why it could not be read, or gives no features and target
  std::size_t rows = 0;
  std::vector<ColumnFacts> columns;  // as they stand in the file; none: it could not be read
};

// What is in the files, whether or not they make a puzzle.
struct Inspection {
  std::vector<FileFacts> files;    // in natural order
  std::vector<PieceFacts> pieces;  // by id
  std::string pieces_unknown;      // why the tensors make no pieces; empty: they do
  std::string roles_unknown;       // why the pieces have no roles; empty: they do
  std::vector<TableFacts> tables;
  std::vector<std::string> notes;  // what was guessed, turned or left out
  std::string obstacle;            // what read_puzzle says against it; empty: this is a puzzle
};

// Whatever a file holds becomes a fact; only a path that is missing is an Error.
Inspection inspect(const std::vector<std::string>& paths, const ReadOptions& options = {});

// --------------------------------------------------------------------------------------- solving

struct Progress {
  std::string_view stage;  // "pair", "order", "verify", "train"
  double done = 0;         // 0 … 1, or negative where nobody can tell
  std::string note;        // "round 3: 12 swaps, error 0.0014"
};

// Called now and then from the calling thread. Returning false asks for a stop: the search then
// ends with the best it has, truthfully labelled.
using OnProgress = std::function<bool(const Progress&)>;

// Called with what a search has found so far whenever that is more: the pairing, the seed, a round.
struct Solution;
using OnNews = std::function<void(const Solution&)>;

enum class Method { best, paper };

// Starting orders.
enum class Seed {
  automatic,  // with `best` all of them, with `paper` delta
  delta,      // by delta-norm, how far a block moves the raw input (the paper's)
  wout,       // by the norm of W_out (the paper's)
  greedy,     // next comes the block that moves the present state least
};

// Which arrangements a certificate refutes. `automatic` is `full` where that stays cheap.
enum class Scope {
  floor,     // none: is the error at the floor?
  adjacent,  // exchanges of neighbouring blocks, and of the pieces most alike
  full,      // every change of the kinds in Rival::Kind
  all,       // every arrangement of the pieces: for a few blocks
  automatic,
};
std::string_view name(Scope scope);

struct SolveOptions {
  Method method = Method::best;
  Seed seed = Seed::automatic;
  std::vector<int> start = {};  // instead of a seed: expand ids in the order to start from
  std::vector<std::pair<int, int>> pairs = {};  // all blocks as ids, where the pairing is known
  bool descending = false;     // sort the seed the other way round; `paper` only, as the next three
  bool bradley_terry = false;  // re-rank the seed before the repair
  double temperature = 0.001;  // of Bradley–Terry's soft wins
  std::size_t rows = 2000;     // how many rows decide (0: all)
  unsigned threads = 0;        // 0: all cores
  std::uint64_t rng = 1;
  double time_limit = 120;  // seconds for all of it; at most one more, to check the best (0: none)
  Scope certificate = Scope::automatic;
  double noise = 0;  // standard deviation of noise in the target, where that is known
  OnProgress progress = {};
  const CancelFlag* cancel = nullptr;
  OnNews news = {};
};

enum class Verdict {
  exact,      // at the floor of the target's arithmetic, and every rival is refuted
  ambiguous,  // at the floor, and so are others: the rows cannot tell
  unsolved,
};
std::string_view name(Verdict verdict);

struct Block {
  int in = 0, out = 0;  // piece ids
  double score = 0;     // diagonal dominance ratio
  double margin = 0;    // score less the best rival in its row or column of the score table
};

// What pairs are told by: see src/pair/, one file each, and docs/pairing.md.
enum class PairSignal { ensemble, ratio, norms, whitened, bilinear };
std::string_view name(PairSignal signal);

// What the pairing saw: scores[i][j] of expand piece i with contract piece j (both by id).
struct Pairing {
  std::vector<int> expand, contract;      // piece ids along the table's two axes
  std::vector<double> scores;             // expand × contract; −infinity where the widths differ
  std::vector<double> traces;             // expand × contract: tr(W_out · W_in)
  std::vector<std::size_t> match;         // match[i] = j, the optimal assignment
  std::vector<std::size_t> greedy;        // greedy[i] = j, the best of each row
  PairSignal signal = PairSignal::ratio;  // what the scores are
};

struct PairOptions {
  PairSignal signal = PairSignal::ensemble;
  unsigned threads = 0;  // 0: all cores
  std::uint64_t rng = 1;
  OnProgress progress = {};  // false: goes on with what it has learnt so far
  const CancelFlag* cancel = nullptr;
};

// A pairing from the weights alone, and how much of it to believe. Per pair, in the order of
// pairing.expand:
struct PairReport {
  Pairing pairing;              // scores: the signal's own; of the ensemble log-likelihood ratios
  std::vector<double> margins;  // score less the best rival in row or column
  std::vector<double> confidence;              // probability that the pair is right
  std::vector<std::vector<int>> candidates;    // short list of contract ids, likeliest first
  std::vector<std::vector<int>> alternatives;  // other pairings, likeliest first: contract ids
  bool trace = false;  // false: the weights hold no trace of the pairing; chance does as well
  double separation = 0, chance = 0;  // of the pairs from strangers; what shuffled units reach
  std::vector<std::pair<PairSignal, double>> signals;  // with their separations
};

PairReport pair_pieces(const Puzzle& puzzle, const PairOptions& options = {});
// The pieces of either side alone, with or without a head; an id is a place in its list.
PairReport pair_pieces(const std::vector<Piece>& expand, const std::vector<Piece>& contract,
                       const Piece* head = nullptr, const PairOptions& options = {});
std::string to_json(const PairReport& report);

struct Round {
  std::size_t swaps = 0;        // moves accepted in this round
  double mse = 0;               // after it,
  std::size_t rows = 0;         // on this many rows
  std::vector<int> order = {};  // expand ids as they stood then
};

// Three blocks whose pairwise comparisons contradict each other.
struct Cycle {
  std::vector<int> blocks;    // three expand ids: first before second before third before first
  double weakest_margin = 0;  // least |change of the error| among the three comparisons
  std::size_t span = 0;       // places between the outermost two in the final order
};

struct BradleyTerry {
  std::size_t iterations = 0;
  double last_change = 0;  // largest relative change of a strength in the last iteration
  bool converged = false;
  std::vector<double> strength;  // one per block, in the seed's order
  std::size_t triples = 0;       // n choose 3
  std::vector<Cycle> cycles;
  double median_margin = 0;     // of |change of the error| over all pairs
  double mse = 0;               // of the order it gives, on all rows
  std::vector<int> order = {};  // that order: expand ids
};

// An arrangement one change away from the one certified. Places are from 0.
struct Rival {
  enum class Kind {
    swap,          // the blocks at places a and b change places
    insertion,     // the block at place a is taken out and runs at place b
    exchange_out,  // the contract pieces of places a and b change places
    exchange_in,   // the expand pieces do
    segments,      // the blocks a … b − 1 and the blocks b … c − 1 after them change places
    reversal,      // the blocks a … b run in the opposite order
    cycle_out,     // the contract piece of place a goes to b, that of b to c, that of c to a
    cycle_in,      // the expand pieces do
    window,        // the pieces of neighbouring blocks, from a on, rearranged
  };
  Kind kind = Kind::swap;
  std::size_t a = 0, b = 0;
  double mse = 0;        // mean square error,
  std::size_t rows = 0;  // on this many rows,
  bool is_bound = true;  // and a lower bound of that on all rows where these are not all
  std::size_t c = 0;
  std::vector<std::size_t> expand = {};    // of a window: whose W_in runs at each place, from a on
  std::vector<std::size_t> contract = {};  // and whose W_out
};
std::string_view name(Rival::Kind kind);
std::string text(const Rival& rival);  // "exchanging blocks 22 and 23"
std::vector<int> after(const Rival& rival, std::vector<int> permutation);  // the change made

// How much the rows leave open.
struct Freedom {
  std::vector<std::vector<int>> expand, contract;  // classes of interchangeable pieces
  std::vector<std::pair<int, int>> unordered;      // blocks (expand ids) that may run either way
  std::string permutations;                        // how many remain: digits, or "about 10^57"
  double log10_permutations = 0;
  bool at_least = false;  // there may be more
};

struct Certificate {
  Verdict verdict = Verdict::unsolved;
  std::size_t rows = 0;
  double mse = 0, max_abs_error = 0;              // float64, all rows
  double floor_mse = 0, floor_max_abs_error = 0;  // what the target's making explains:
  std::string floor;                              // "float32 arithmetic"
  double noise = 0;                               // declared, where the floor rests on it
  std::vector<std::size_t> set_aside;  // rows (from 0) whose answers dwarf the others': agree, but
                                       // would hide every difference
  Scope scope = Scope::floor;          // which rivals were looked at
  std::size_t rivals = 0, refuted = 0;
  std::size_t screened = 0;               // of them: estimated first, run only where near
  bool quick = false, every_row = false;  // checked as VerifyOptions says
  std::optional<Rival> nearest;           // of all rivals the one with the least error
  std::vector<Rival> survivors;           // those not refuted
  std::optional<Freedom> freedom;         // of an ambiguous one
  std::size_t rows_needed = 0;            // at least, to rule out unrelated arrangements
  double passes = 0;                      // what the check cost, in forward passes of all rows
  std::string why;                        // one sentence: why this verdict
  bool complete = true;                   // false: stopped early; `why` says what was checked
  std::vector<std::string> hints;         // what would help

  // What it is about.
  std::vector<int> permutation;
  Activation activation = Activation::relu;
  std::string pieces_sha256, rows_sha256;

  // Of an unsolved one: neighbours, by place, whose exchange is clearly worse all the same.
  std::vector<std::size_t> firm;
};

struct Timing {
  std::string stage;
  double ms = 0;
};

struct Solution {
  Verdict verdict = Verdict::unsolved;
  Activation activation = Activation::relu;  // as given, or as the data settled it
  std::vector<int> permutation;              // (stem,) in, out, in, out, …, head
  std::vector<Block> blocks;                 // in the order in which they run
  int head = 0;
  std::optional<int> stem = {};
  Pairing pairing;
  std::string seed;             // what the search started from
  double seed_mse = 0;          // on all rows with `paper`, on few with `best`
  std::vector<int> seed_order;  // expand ids
  std::vector<Round> rounds;
  std::vector<std::string>
      story;  // what the search tried, and why it went on to something stronger
  std::optional<BradleyTerry> bradley_terry;
  Certificate certificate;
  std::vector<int> firm_pairs;  // expand ids of pairs whose score stands out
  std::string stopped;          // why the search ended early, if it did: "asked to", "time limit"
  std::vector<Timing> timings;

  std::string permutation_text() const;  // comma-joined
  std::string sha256() const;            // of that text
};

Solution solve(const Puzzle& puzzle, const SolveOptions& options = {});

struct VerifyOptions {
  Scope scope = Scope::automatic;
  bool every_row = false;  // compute every rival on all rows, refuted or not
  // As `solve` does it: rivals in float32 where that refutes from afar, segments and cycles by a
  // first-order estimate where they are many, the nearest only on enough rows to bound its error.
  bool quick = false;
  double noise = 0;    // standard deviation of noise in the target, where that is known
  bool advise = true;  // of an unsolved order: what is firm, what would help
  unsigned threads = 0;
  double time_limit = 0;  // seconds, after which nothing is exact that has not become so (0: none)
  OnProgress progress = {};
  const CancelFlag* cancel = nullptr;
};

// Checks a permutation independently of the search: own code, float64, all rows.
Certificate verify(const Puzzle& puzzle, const std::vector<int>& permutation,
                   const VerifyOptions& options = {});

// The solution as JSON text; `puzzle` supplies the id → file table.
std::string to_json(const Solution& solution, const Puzzle& puzzle);
std::string to_json(const Certificate& certificate);

// The certificate in a JSON text as written by either; throws bad_format where there is none, where
// the text contradicts itself or says what no certificate covers.
Certificate certificate_from_json(const std::string& text, const std::string& file = {});

// What a solution's JSON tells of how it was found, which no certificate covers.
const std::vector<std::string>& uncertified_keys();

// What `found` says otherwise than `claimed`, a line each. Nothing: the claim holds.
std::vector<std::string> differences(const Certificate& claimed, const Certificate& found);

// ------------------------------------------------------------------------------ damaged sets

struct Salvaged {
  Solution solution;  // of what belongs together
  Puzzle puzzle;      // those pieces and the rows
  struct LeftOut {
    int piece = 0;
    std::string why;
  };
  std::vector<LeftOut> left_out;
  std::optional<std::size_t> gap;    // a block is missing before the block at this place
  std::vector<std::size_t> or_here;  // the next likely places
  std::vector<std::string> remarks;
};

// Finds the pieces of one net in a heap (see ReadOptions::heap) with decoys, copies, or gaps.
Salvaged salvage(const Puzzle& heap, const SolveOptions& options = {});
std::string to_json(const Salvaged& salvaged);
std::string to_json(const Inspection& inspection);

// ----------------------------------------------------------------------------------------- pages

struct ReportOptions {
  std::string command = {};              // what was run, as its user wrote it
  std::vector<std::string> inputs = {};  // the paths it was given
  unsigned threads = 0;                  // 0: all cores
};

// The solution as one HTML file that opens without a network: see docs/report.md.
std::string report_page(const Solution& solution, const Puzzle& puzzle,
                        const ReportOptions& options = {});
std::string report_page(const Salvaged& salvaged, const ReportOptions& options = {});

// What that page draws: the solution's JSON, and with it "puzzle", "anatomy" and "provenance". A
// solution that is not finished gives what there is of it.
std::string report_json(const Solution& solution, const Puzzle& puzzle,
                        const ReportOptions& options = {});
std::string report_json(const Salvaged& salvaged, const ReportOptions& options = {});

// ---------------------------------------------------------------------------------------- models

// How a model calls its layers, "{i}" standing for the block's number: "blocks.{i}.inp".
struct LayerNames {
  std::string in, out, head, stem = {};
};

// From "in,out,head,stem" as a user writes it, with or without ".weight": 'blocks.{i}.inp.weight'
// alone will do where the others can be guessed from it. Empty: those of the paper's modules, Block
// and LastLayer: blocks.{i}.inp, blocks.{i}.out, last.layer, and stem. In the head's name {i} is
// the number of blocks, as it is for the last module of a Sequential.
LayerNames layer_names(const std::string& templates);

// What the layers of a net of so many pieces are called, in the order in which they are applied.
std::vector<std::string> layer_keys(const LayerNames& names, std::size_t pieces);

// The pieces in the order in which they are applied. Throws unless the permutation has each of them
// once and their shapes chain: (stem,) in, out, in, out, …, head.
std::vector<Piece> arranged(const std::vector<Piece>& pieces, const std::vector<int>& permutation);

struct RunOptions {
  Activation activation = Activation::relu;
  unsigned threads = 0;  // 0: all cores
  const CancelFlag* cancel = nullptr;
};

// What the net answers, its pieces given in the order in which they are applied: features rows × d,
// the answer rows × o.
Matrix forward(const std::vector<Piece>& applied, const Matrix& features,
               const RunOptions& options = {});

// The adjoint: ∂ answer / ∂ x_t of one output, for the state x_t before block t = 0, 1, … and at
// last before the head. One matrix of rows × d for each.
std::vector<Matrix> gradients(const std::vector<Piece>& applied, const Matrix& features,
                              std::size_t output = 0, const RunOptions& options = {});

// Delta-norm of every block: the mean over the rows of ‖W_out · act(W_in · x + b_in) + b_out‖.
std::vector<double> delta_norms(const std::vector<std::pair<Piece, Piece>>& blocks,
                                const Matrix& features, const RunOptions& options = {});

// The ids in the order in which the file's own graph (ONNX) applies them: what reading ignores on
// purpose. Throws where the file has no graph or it does not use every piece.
std::vector<int> graph_order(const std::vector<Piece>& pieces);

enum class ModelFormat { safetensors, torch, onnx, npz };
ModelFormat model_format(const std::string& file);  // by its ending; throws where it is another

struct ModelOptions {
  LayerNames names = layer_names("");
  Activation activation = Activation::relu;  // for ONNX, the one format that computes
  std::vector<std::pair<std::string, std::string>> metadata = {};  // safetensors and ONNX keep it
};

// The whole net, its pieces given in the order in which they are applied (see `arranged`): tensors
// in that order, each in the precision it was stored in (float64 as float32; ONNX all in float32).
// PyTorch's is a state dict. The metadata also gets the permutation and its SHA-256.
std::string to_model(ModelFormat format, const std::vector<Piece>& applied,
                     const ModelOptions& options = {});
void write_model(const std::string& file, const std::vector<Piece>& applied,
                 const ModelOptions& options = {});

// ------------------------------------------------------------------------- puzzles of your own

namespace lab {

enum class Task {
  regression,      // target: `outputs` smooth functions of the features
  classification,  // target: one-hot over `outputs` classes
};

// Features are standard normal. A random teacher, a sum of 16 tanh ridges per output scaled to
// unit variance, gives the target; in classification the teacher with the largest value wins.
Rows make_task(Task task, std::size_t rows, std::size_t dim, std::size_t outputs,
               std::uint64_t rng);

enum class Optimizer { adam, adamw, sgd };
enum class Loss {
  mse,            // mean over rows and outputs
  cross_entropy,  // outputs are logits, the target's rows are one-hot (or probabilities)
};

// How the weights start: as PyTorch's nn.Linear (uniform within ±1/√fan-in, biases too); with the
// contract pieces at zero, so that every block starts as the identity; or with the contract
// pieces' weights divided by √blocks, so that the stream does not grow with depth.
enum class Init { standard, zero, scaled };

std::string_view name(Optimizer optimizer);
std::string_view name(Init init);  // "default", "zero", "scaled"
Optimizer optimizer_named(std::string_view name);
Init init_named(std::string_view name);

struct TrainOptions {
  std::size_t blocks = 48;
  std::vector<std::size_t> hidden{96};  // taken in turn by the blocks
  Activation activation = Activation::relu;
  Loss loss = Loss::mse;
  Optimizer optimizer = Optimizer::adam;
  Init init = Init::standard;
  std::size_t epochs = 200, batch = 32;
  double lr = 1e-4, weight_decay = 0;
  double momentum = 0;   // of sgd
  unsigned threads = 0;  // 0: all cores
  std::uint64_t rng = 1;
  OnProgress progress = {};  // false stops the training; what there is is kept

  const CancelFlag* cancel = nullptr;

  // For comparisons: start from these pieces, and take these batches of row numbers instead of
  // `epochs` shuffled rounds.
  std::vector<Piece> start;
  std::vector<std::vector<std::size_t>> batches;
};

// Of a net that trains in seconds and leaves the trace that the paper's ratio looks for (see
// docs/regimes.md): what `humpty demo` and the page in the browser make their own puzzle with.
TrainOptions demo_regime(std::size_t blocks, std::size_t dim);

struct TrainedNet {
  std::vector<Piece> pieces;  // in the order of application: in, out, in, out, …, head; ids too
  double loss = 0;            // mean over the last epoch, each batch before its step
  std::size_t epochs = 0;     // finished
  bool stopped = false;
  double seconds = 0, flops = 0;  // three times the forward pass's
};

// The stream is as wide as the features, the head as wide as the target.
TrainedNet train(const TrainOptions& options, const Matrix& features, const Matrix& target);

// The pieces that training starts from.
std::vector<Piece> initial_pieces(const TrainOptions& options, std::size_t dim,
                                  std::size_t outputs);

using humpty::LayerNames;

// A whole checkpoint as pieces in the order of application. Without names the numbers in the
// tensors' names give the blocks, the shapes the roles within them. Throws bad_shape where the
// shapes do not chain.
std::vector<Piece> read_checkpoint(const std::string& file, const LayerNames& names = {});

struct Dropped {
  Puzzle puzzle;                 // pieces with shuffled ids; rows.target is what the net answers
  std::vector<int> permutation;  // the truth
  Matrix truth;                  // the task's own target (column `true`); may have no columns
};

// `applied`: (stem,) in, out, in, out, …, head. `rows.target` may be the task's target or empty.
Dropped drop(std::vector<Piece> applied, Rows rows, Activation activation, std::uint64_t rng,
             unsigned threads = 0, const CancelFlag* cancel = nullptr);

// Writes folder/pieces/piece_K.pth, folder/data.csv and folder/answer.json. The answer holds the
// permutation, its SHA-256, and `about`, a JSON object with whatever else is worth keeping. Written
// aside and moved into place. A folder that holds something is refused unless `force`, which
// replaces such a puzzle and leaves everything else alone; a file of another origin in the puzzle's
// place is refused all the same.
void write_puzzle(const std::string& folder, const Dropped& dropped, const std::string& about,
                  bool force);

// The truth about a puzzle written by write_puzzle: "permutation" in folder/answer.json, a list of
// ids or comma-joined text. Nothing where there is no such file.
std::optional<std::vector<int>> read_answer(const std::string& folder);

struct SignalScores {
  std::string net;  // the folder
  std::size_t blocks = 0;
  std::vector<std::pair<PairSignal, std::size_t>> correct;  // pairs, by each signal
  // Of the ensemble's pairs: how many true partners are among the five best candidates; how many
  // pairs are given 90 and 99 %, and how many of them are right.
  std::size_t in_five = 0, given_90 = 0, right_90 = 0, given_99 = 0, right_99 = 0;
  bool trace = false;
  double separation = 0, chance = 0, seconds = 0;
  std::vector<std::pair<double, bool>> pairs;  // the ensemble's: confidence, right
  std::string error;                           // why there are no numbers
};

// The puzzles with a known answer (answer.json) among the folders and in them.
std::vector<std::string> puzzles_with_answers(const std::vector<std::string>& folders);

// How a solve went, beside the answer.
struct SolveScore {
  std::string net, error;  // why it could not be read; empty: it could
  std::size_t blocks = 0, pairs_right = 0;
  Verdict verdict = Verdict::unsolved;
  bool right = false;  // the permutation is the answer
  double tau = 0;      // Kendall's, of the expand pieces against the answer
  double mse = 0, seconds = 0;
};
SolveScore solve_and_score(const std::string& folder, const SolveOptions& options = {});

// Every signal on every puzzle with a known answer among the folders and in them.
std::vector<SignalScores> study_signals(const std::vector<std::string>& folders,
                                        const PairOptions& options = {});

// Throws unless write_puzzle would accept the folder: to be asked before hours of training.
void check_output_folder(const std::string& folder, bool force);

// "I Dropped a Neural Net", number by number: what the paper prints or asks, beside what comes out
// of this puzzle. Values are compared only where the puzzle is the published one.
struct PaperEntry {
  enum class Status { same, differs, not_in_paper };

  std::string id, section, what;  // "pairing.gap", "3 Pairing", what it is in a sentence
  std::variant<double, std::vector<double>, std::string> ours;
  std::string paper = {};  // as printed, several numbers comma-joined; empty: nothing to compare
  Status status = Status::not_in_paper;
  std::string why = {};  // it differs
};
std::string_view name(PaperEntry::Status status);  // "same", "differs", "not in paper"

// What a figure is drawn from: one column per series, or a whole matrix.
struct PaperFigure {
  std::string id;
  std::vector<std::string> columns;  // their names; none: a matrix
  Matrix data;
};

struct PaperOptions {
  bool quick = false;  // small samples and no climbs but the tables': seconds, not minutes
  bool train = false;  // the appendix's model from scratch, four times over: minutes each
  Matrix truth = {};   // what the net was trained to answer (column `true`), where that is known
  double time_limit = 120;  // seconds for solving the puzzle (0: none)
  unsigned threads = 0;     // 0: all cores
  std::uint64_t rng = 1;
  OnProgress progress = {};  // false: ends with the sections that are done
};

struct Paper {
  bool published = false;  // this is the paper's own puzzle
  bool stopped = false;    // sections are missing
  Solution solution;       // with the default options; all sections speak of its blocks and places
  std::vector<PaperEntry> entries;
  std::vector<PaperFigure> figures;
};

// Throws bad_data where the rows do not hold the net's outputs.
Paper study_paper(const Puzzle& puzzle, const PaperOptions& options = {});
// Why values differ from print, and the ids of those that do for that reason.
std::vector<std::pair<std::string, std::vector<std::string>>> reasons(const Paper& paper);
std::string to_json(const Paper& paper);      // the entries, as an array
std::string to_markdown(const Paper& paper);  // the same to read
// With its figures, as one HTML file that opens without a network.
std::string paper_page(const Paper& paper, const Puzzle& puzzle, const ReportOptions& options = {});

}  // namespace lab

}  // namespace humpty
