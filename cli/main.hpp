// The whole program. `python -m humpty` calls it as well.
#pragma once

namespace humpty::cli {

int run(int argc, char** argv);

}  // namespace humpty::cli
