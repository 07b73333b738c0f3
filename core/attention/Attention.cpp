#include "core/attention/Attention.h"

#include <functional>
#include <map>

#include "core/attention/SoftmaxAttention.h"
#include "core/base/Result.h"

namespace headlight {

std::shared_ptr<Attention> makeAttention(const std::string& name, const AttentionOptions& options) {
  using Factory = std::function<std::shared_ptr<Attention>(const AttentionOptions&)>;
  static const std::map<std::string, Factory> mechanisms{
      {"softmax", [](const auto& o) { return std::make_shared<SoftmaxAttention>(o); }},
  };
  const auto found = mechanisms.find(name);
  if (found == mechanisms.end())
    throw Failure({ErrorCode::InvalidConfig,
                   "no attention mechanism is called \"" + name + "\"; there is softmax",
                   "model.mechanism"});
  return found->second(options);
}

}  // namespace headlight
