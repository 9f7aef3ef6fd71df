// A certificate as JSON, for whoever writes one into something larger.
#pragma once

#include <nlohmann/json.hpp>

#include "humpty/humpty.hpp"

namespace humpty::report {

nlohmann::ordered_json certificate_json(const Certificate& certificate);

}  // namespace humpty::report
