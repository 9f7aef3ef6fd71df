// Against the library that owns the format: Debian's python3-torch, where it is installed.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "humpty/humpty.hpp"
#include "io/temp_folder.hpp"
#include "io/torch.hpp"

namespace humpty::io {
namespace {

// Loads ours.pth, saves theirs.pth, and writes down what it sees in each: a line per tensor with
// name, type, shape and hexadecimal bytes (of theirs: as float32).
constexpr const char* kScript = R"(
import sys
try:
    import torch
except ImportError:
    sys.exit(77)
folder = sys.argv[1]

def note(file, name, tensor, values):
    raw = bytes(values.detach().contiguous().reshape(-1).view(torch.uint8).tolist()).hex()
    shape = 'x'.join(map(str, tensor.shape))
    print(f'{name} {str(tensor.dtype)[6:]} ({shape}) {raw}', file=file)

with open(folder + '/ours.txt', 'w') as file:
    for name, tensor in torch.load(folder + '/ours.pth', weights_only=True).items():
        note(file, name, tensor, tensor)

base = torch.randn(6, 8)
theirs = {
    'plain': base, 'transposed': base.t(), 'sliced': base[1:4, ::3], 'row': base[2],
    'permuted': torch.randn(2, 3, 4).permute(2, 0, 1), 'expanded': torch.randn(3, 1).expand(3, 4),
    'double': torch.randn(5, dtype=torch.float64), 'half': torch.randn(5).half(),
    'brain': torch.randn(2, 3).bfloat16().t(), 'scalar': torch.tensor(2.5),
    'empty': torch.zeros(0, 3), 'parameter': torch.nn.Parameter(torch.randn(3)),
}
nested = dict(theirs, steps=torch.tensor(3), state=torch.nn.Linear(3, 2).state_dict(), lr=0.1)
torch.save(nested, folder + '/theirs.pth')
torch.save(theirs, folder + '/protocol4.pth', pickle_protocol=4)
torch.save(theirs, folder + '/old.pth', _use_new_zipfile_serialization=False)
torch.save(theirs, folder + '/old4.pth', _use_new_zipfile_serialization=False, pickle_protocol=4)
torch.save(torch.nn.Linear(3, 2), folder + '/model.pth')
torch.save(torch.nn.Linear(3, 2), folder + '/old_model.pth', _use_new_zipfile_serialization=False)

module = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU(), torch.nn.Linear(2, 1)).eval()
torch.jit.script(module).save(folder + '/scripted.pt')
torch.jit.trace(module, torch.ones(1, 3)).save(folder + '/traced.pt')
torch.jit.freeze(torch.jit.script(module)).save(folder + '/frozen.pt')
with open(folder + '/script.txt', 'w') as file:
    for name, tensor in module.state_dict().items():
        note(file, name, tensor, tensor)
with open(folder + '/theirs.txt', 'w') as file:
    for name, tensor in theirs.items():
        note(file, name, tensor, tensor.float())
    for name, tensor in nested['state'].items():
        note(file, 'state.' + name, tensor, tensor)
)";

std::string line(const Tensor& tensor, DType as) {
  std::string hex;
  for (const char byte : encode(as, tensor.values))
    hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return fmt::format("{} {} ({}) {}\n", tensor.name, name(tensor.dtype),
                     fmt::join(tensor.shape, "x"), hex);
}

std::string content(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(RealTorch, AgreesBitForBit) {
  const test::TempFolder folder;
  const auto path = [&](const char* file) { return folder.path(file); };
  const std::vector<Tensor> ours{
      {"weight", {2, 3}, DType::float32, {1, -0.0f, 3.25f, 1e-40f, INFINITY, -6}},
      {"blocks.0.bias", {2}, DType::float64, {0.1f, 2}},
      {"half", {1, 2}, DType::float16, {0.5f, 65504}},
      {"brain", {3, 1}, DType::bfloat16, {-3, 0.5f, 1e30f}},
      {"scalar", {}, DType::float32, {9}},
      {"empty", {0, 4}, DType::float32, {}},
  };
  write_torch(path("ours.pth"), ours);
  std::ofstream(path("check.py")) << kScript;
  const int status =
      std::system(fmt::format("/usr/bin/python3 {} {}", path("check.py"), folder.path()).c_str());
  if (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 127)
    GTEST_SKIP() << "python3-torch is not installed";
  ASSERT_EQ(status, 0);

  std::string expected;
  for (const Tensor& tensor : ours) expected += line(tensor, tensor.dtype);
  EXPECT_EQ(content(path("ours.txt")), expected);

  const Tensors theirs = read_torch(path("theirs.pth"));
  std::string seen;
  for (const Tensor& tensor : theirs.tensors) seen += line(tensor, DType::float32);
  EXPECT_EQ(seen, content(path("theirs.txt")));
  EXPECT_EQ(theirs.skipped, std::vector<std::string>{"tensor 'steps': int64 is not read"});

  EXPECT_EQ(read_torch(path("protocol4.pth")).tensors.size(), theirs.tensors.size() - 2);
  for (const char* file : {"old.pth", "old4.pth"}) {
    std::string old;
    for (const Tensor& tensor : read_torch(path(file)).tensors) old += line(tensor, DType::float32);
    EXPECT_EQ(old, seen.substr(0, seen.find("state.")));
  }
  for (const char* file : {"scripted.pt", "traced.pt"}) {
    std::string script;
    for (const Tensor& tensor : read_torch(path(file)).tensors)
      script += line(tensor, DType::float32);
    EXPECT_EQ(script, content(path("script.txt"))) << file;
  }
  EXPECT_EQ(read_torch(path("frozen.pt")).tensors.size(), 4u);
  EXPECT_THROW(read_torch(path("old_model.pth")), Error);
  EXPECT_THROW(read_torch(path("model.pth")), Error);
}

}  // namespace
}  // namespace humpty::io
