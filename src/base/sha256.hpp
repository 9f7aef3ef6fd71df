// SHA-256 (FIPS 180-4), for the hash by which published answers are compared.
#pragma once

#include <string>
#include <string_view>

namespace humpty {

std::string sha256_hex(std::string_view text);

}  // namespace humpty
