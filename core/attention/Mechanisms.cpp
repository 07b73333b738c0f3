#include "core/attention/Mechanisms.h"

#include <algorithm>

#include "core/attention/SoftmaxAttention.h"

namespace headlight {
namespace {

/// A class that is constructed from AttentionOptions and counts its cost.
template <typename M>
Mechanism mechanism(std::string name, std::string help, const ParameterTable* options = nullptr,
                    bool maskable = true) {
  return {{std::move(name), std::move(help), options, maskable},
          [](const AttentionOptions& o) { return std::make_shared<M>(o); },
          M::count};
}

}  // namespace

const std::vector<Mechanism>& mechanisms() {
  static const std::vector<Mechanism> all{
      mechanism<SoftmaxAttention>("softmax",
                                  "Scaled dot products and a softmax; heads can be masked (MaiT)."),
  };
  return all;
}

const Mechanism& mechanismOf(const std::string& name) {
  const auto& all = mechanisms();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Mechanism& m) { return m.variant.name == name; });
  if (found == all.end())
    throw Failure({ErrorCode::InvalidConfig, "no attention mechanism is called \"" + name + "\"",
                   "model.mechanism"});
  return *found;
}

std::shared_ptr<Attention> makeAttention(const std::string& name, const AttentionOptions& options) {
  return mechanismOf(name).make(options);
}

}  // namespace headlight
