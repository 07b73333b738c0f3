#include "core/models/BatchPart.h"

#include <utility>

namespace headlight {
namespace {

thread_local BatchPart seen;

}  // namespace

BatchPart batchPart() {
  return seen;
}

BatchPartScope::BatchPartScope(BatchPart part) : m_before(std::exchange(seen, part)) {}

BatchPartScope::~BatchPartScope() {
  seen = m_before;
}

}  // namespace headlight
