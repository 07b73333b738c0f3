#pragma once
// How attention maps leave a model: a tap that the forward pass offers them to, layer by layer.
// Without a tap, or for a layer it does not want, no T × T tensor needs to exist.

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <string>

namespace headlight {

class AttentionTap {
 public:
  virtual ~AttentionTap() = default;
  virtual bool wants(int layer) const = 0;
  /// `map` is [B, H, T, T], detached.
  virtual void take(int layer, const at::Tensor& map) = 0;
};

/// Keeps the maps of every layer it is asked about.
class CollectingTap : public AttentionTap {
 public:
  explicit CollectingTap(std::function<bool(int)> wanted = [](int) { return true; })
      : m_wanted(std::move(wanted)) {}
  bool wants(int layer) const override { return m_wanted(layer); }
  void take(int layer, const at::Tensor& map) override { maps[layer] = map; }

  std::map<int, at::Tensor> maps;  ///< by layer

 private:
  std::function<bool(int)> m_wanted;
};

}  // namespace headlight
