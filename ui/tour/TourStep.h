// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The five steps of the tour: where each is, what it points at and what it says.

#include <QList>
#include <QRect>
#include <QString>

#include <functional>
#include <vector>

#include "ui/workspace/Workspaces.h"

class QDockWidget;
class QMainWindow;
class QWidget;

namespace headlight {

class Docks;
class Document;
class ImageTabs;
class TrainingBridge;

/// The parts of the window that the tour shows; all of them outlive it.
struct TourParts {
  QMainWindow* window;
  Document* document;
  TrainingBridge* training;
  Workspaces* workspaces;
  Docks* docks;
  ImageTabs* tabs;
};

struct TourStep {
  QString name;  ///< "token", "heads", "masks", "train", "compare"
  QString title;
  Workspace workspace = Workspace::Look;
  QString page;                 ///< of ImageTabs
  QDockWidget* dock = nullptr;  ///< that it points into; null: into the page
  /// What it points at; null where that is not there yet.
  std::function<QWidget*()> widget;
  std::function<QRect(QWidget*)> part;             ///< of the widget; empty: all of it
  std::function<QList<QWidget*>()> keepFree = {};  ///< what the balloon should not cover
  std::function<QString()> text;
};

std::vector<TourStep> makeTourSteps(const TourParts& parts);

}  // namespace headlight
