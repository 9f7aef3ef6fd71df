#include "io/strided.hpp"

namespace humpty::io {
namespace {

bool row_major(const Strided& strided) {
  std::uint64_t expected = 1;
  for (std::size_t d = strided.shape.size(); d-- > 0;) {
    if (strided.shape[d] != 1 && strided.strides[d] != expected) return false;
    expected *= strided.shape[d];
  }
  return true;
}

// Copies the items into row-major order, counting the index up like an odometer.
std::vector<std::uint8_t> gather(const Strided& strided, std::size_t size, Bytes storage) {
  std::vector<std::uint8_t> items(strided.count * size);
  std::vector<std::uint64_t> index(strided.shape.size(), 0);
  std::uint64_t at = strided.offset;
  for (std::uint64_t n = 0; n < strided.count; ++n) {
    std::memcpy(items.data() + n * size, storage.data() + at * size, size);
    for (std::size_t d = index.size(); d-- > 0;) {
      at += strided.strides[d];
      if (++index[d] < strided.shape[d]) break;
      at -= strided.strides[d] * strided.shape[d];
      index[d] = 0;
    }
  }
  return items;
}

template <class Type>
auto decode_items(Type type, std::size_t size, const Strided& strided, Bytes storage,
                  ByteOrder order) {
  if (strided.count == 0) return decode(type, Bytes{}, order);
  if (!row_major(strided)) return decode(type, gather(strided, size, storage), order);
  return decode(type, storage.subspan(strided.offset * size, strided.count * size), order);
}

}  // namespace

std::vector<float> decode(DType dtype, const Strided& strided, Bytes storage, ByteOrder order) {
  return decode_items(dtype, item_size(dtype), strided, storage, order);
}

std::optional<std::vector<float>> decode(WholeType type, const Strided& strided, Bytes storage,
                                         ByteOrder order) {
  return decode_items(type, type.size, strided, storage, order);
}

}  // namespace humpty::io
