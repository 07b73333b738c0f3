// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Single tiles of a figure page. Behind PageContent.h. All throw Failure.

#include <stop_token>

#include "core/workbench/figures/PageContent.h"

namespace headlight {

/// Whom is asked, and as what page; `index` of a column is for messages.
struct PageContext {
  InferenceSession& session;
  const MaskScheme& masks;
  const FigurePage& page;
  std::stop_token stop;
};

PageTile imageTile();
PageTile attentionTile(const PageContext& asking, const AttentionMaps& maps,
                       const PageColumn& column, std::size_t index);
PageTile rolloutTile(const PageContext& asking, const AttentionMaps& maps);
PageTile explanationTile(const PageContext& asking, const RawImages& image,
                         const PageColumn& column, std::size_t index);
/// What a detector found that scores at least PageOptions::threshold, or a segmenter.
PageTile foundTile(const PageContext& asking, const InferenceResult& inference,
                   const PageColumn& column);
/// For image `index` among those whose colors were computed together.
PageTile colorsTile(const PageColumn& column, const FeatureColors& colors, std::size_t index);

}  // namespace headlight
