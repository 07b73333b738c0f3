#pragma once
// Single tiles of a figure page. Behind PageLook.h. All throw Failure.

#include <stop_token>

#include "core/workbench/figures/PageLook.h"

namespace headlight {

/// Whom is asked, and as what page; `index` of a column is for messages.
struct PageAsking {
  InferenceSession& session;
  const MaskScheme& masks;
  const FigurePage& page;
  std::stop_token stop;
};

PageTile pictureTile();
PageTile attentionTile(const PageAsking& asking, const AttentionMaps& maps,
                       const PageColumn& column, std::size_t index);
PageTile rolloutTile(const PageAsking& asking, const AttentionMaps& maps);
PageTile wayTile(const PageAsking& asking, const RawImages& picture, const PageColumn& column,
                 std::size_t index);
/// Of picture `index` among those whose colours were found together.
PageTile colorsTile(const FeatureColors& colors, std::size_t index);

}  // namespace headlight
