// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Computes, draws and writes a figure page outside the window's thread. Plain functions for
// ProgressTask; nothing here touches a widget.

#include <QByteArray>
#include <QString>

#include <functional>
#include <memory>
#include <stop_token>

#include "core/workbench/figures/PageDrawing.h"

namespace headlight {

/// Copied from the document in the document's thread.
struct PageJob {
  FigurePage page;
  std::function<std::shared_ptr<InferenceSession>()> session;  ///< ModelWorker::session()
  MaskScheme masks;
  std::shared_ptr<const PageContent> before;  ///< of the same model and masks; may be null
  std::string openPath;                       ///< the open image is not read again
  Image openImage;
  std::shared_ptr<const TrueBoxes> openTruth;  ///< of the open image; null: none are known
};

/// A page to show. With an error there is no image.
struct ShownPage {
  std::shared_ptr<const PageContent> inference;
  Image image;
  std::string caption;  ///< of the page that was asked for; the dialog's may be another by now
  Error error;
  bool ok() const { return !image.empty(); }
};

/// `dpi` pixels per inch.
ShownPage showPage(const PageJob& job, int dpi, const ProgressCallback& progress,
                   std::stop_token stop);
/// A PNG stores `session`, like other figures.
Result<void> exportPage(const PageJob& job, const QString& path, const QByteArray& session,
                        const ProgressCallback& progress, std::stop_token stop);

}  // namespace headlight
