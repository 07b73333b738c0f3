// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/figures/MaskOutlines.h"

#include "core/base/Translation.h"

namespace headlight::cli {

MaskSight MaskOutlines::sight(int layer, int head) const {
  return maskSight({m_scene.model, m_scene.masks, &m_scene.inference, layer, head, m_query.token});
}

Image MaskOutlines::over(const Image& image, int layer, int head) {
  if (!m_style.maskOutline) return image;
  const MaskSight shown = sight(layer, head);
  m_drawn = m_drawn || shown.isDrawn();
  return withMaskSight(image, shown);
}

std::string MaskOutlines::footnote() const {
  if (!m_style.maskOutline) return "";
  return m_drawn ? tr("; outlined: what each mask lets the query look at")
                 : tr("; no mask that could be outlined acts on this query");
}

std::string MaskOutlines::text(int layer, int head) const {
  const std::string text = m_style.maskOutline ? sight(layer, head).text : "";
  return text.empty() ? text : "; " + text;
}

}  // namespace headlight::cli
