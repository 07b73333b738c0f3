// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Brings what a step is about into view, and afterwards everything back: workspace, page, docks.

#include <QPointer>

#include <optional>

#include "ui/compare/CompareView.h"
#include "ui/tour/TourStep.h"

namespace headlight {

class TourStage {
 public:
  explicit TourStage(const TourParts& parts) : m_parts(parts) {}

  /// Remembers the workspace of now.
  void begin();
  /// Puts back what the step before changed, then shows this one.
  void show(const TourStep& step);
  /// The workspace from before begin(), everything as it was.
  void end();
  /// Whether the step's workspace, page and dock are shown.
  bool isShown(const TourStep& step) const;

 private:
  /// What a step changed in its workspace.
  struct Changes {
    Workspace workspace = Workspace::Look;
    QString from, to;  ///< pages; equal: unchanged
    QPointer<QDockWidget> opened;
    std::optional<CompareView::Page> comparePage;
  };
  void putBack();
  void openDock(QDockWidget* dock);

  TourParts m_parts;
  Workspace m_before = Workspace::Look;
  std::optional<Changes> m_changes;
};

}  // namespace headlight
