// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A run's recording as a film or as a strip: what the tab shows, at every recorded step.

#include <QString>

#include <stop_token>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "ui/figures/FigureExport.h"

namespace headlight {

enum class FilmKind {
  Film,   ///< GIF, AVI, MP4 or a folder of PNG by its name (FilmFile)
  Strip,  ///< one figure (PNG, SVG or PDF by its name), a picture a step on one scale
};

struct FilmRequest {
  FilmKind kind = FilmKind::Film;
  QString run;                             ///< the run's folder
  QString path;                            ///< of the file or, of pictures, the folder
  FigureKind figure = FigureKind::Canvas;  ///< of a film: canvas, heads or rollout
  ModelInfo model;
  ViewOptions view;
  int picture = 0;       ///< of those that were recorded
  double seconds = 0.2;  ///< of a film: each step
  int steps = 8;         ///< of a strip: evenly from the first to the last
  /// Of a strip: a row for each of these heads of the view's layer, -1 their mean; empty: the
  /// view's.
  std::vector<int> heads;
  int widthPixels = 800, dpi = 96;
};

/// Of a strip: "0, 2", "mean, 3", "all" (without the mean) of a layer with so many heads; nothing:
/// the one that is shown. Errors: InvalidArgument, saying which head there is not.
Result<std::vector<int>> filmHeads(const QString& text, int heads);

/// Blocks. How many steps were drawn; progress is in these. Errors: what reading and writing says,
/// Canceled; then neither file nor folder is there.
Result<int> writeFilm(const FilmRequest& request, const ProgressCallback& progress,
                      const std::stop_token& stop);

}  // namespace headlight
