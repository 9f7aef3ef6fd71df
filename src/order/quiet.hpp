// The order in which every block is least active where it stands.
#pragma once

#include "base/watch.hpp"
#include "order/walk.hpp"

namespace humpty::order {

// The quietest order found. The targets are not looked at.
Order quiet_order(const net::Net& net, const net::Batch& batch, Threads& threads, Watch& watch);

}  // namespace humpty::order
