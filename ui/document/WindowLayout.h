// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The positions of docks and window, in a format of our own: what a session carries in place of
// the bytes of QMainWindow::saveState and QWidget::saveGeometry, which Qt believes unread.

#include <QRect>
#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

#include "core/base/Result.h"
#include "core/config/Experiment.h"

namespace headlight {

/// A dock, or several beside one another, below one another or in tabs.
struct LayoutPart {
  enum class Kind { Dock, Row, Column, Tabs };
  Kind kind = Kind::Dock;
  int size = -1;  ///< along the row or column that it is in, in pixels; -1: not known yet
  QString dock;   ///< Dock: of knownDocks()
  bool visible = true;
  std::optional<QRect> floating;  ///< Dock: on the screen, while it floats
  QString current;                ///< Tabs: the dock in front; may be empty
  std::vector<LayoutPart> parts;  ///< Row, Column, Tabs (docks alone); not empty
  bool operator==(const LayoutPart&) const = default;
};

struct LayoutArea {
  Qt::DockWidgetArea area = Qt::LeftDockWidgetArea;
  QSize size;
  LayoutPart docks;  ///< a row or a column
  bool operator==(const LayoutArea&) const = default;
};

/// The docks around the center. One that is missing is as in no arrangement: closed.
struct WindowLayout {
  static constexpr int kVersion = 1;
  std::vector<LayoutArea> areas;  ///< each once
  QSize center;
  bool operator==(const WindowLayout&) const = default;
};

/// The window on the screen.
struct WindowPlace {
  QRect normal;  ///< where it is neither maximized nor full screen
  QRect shown;   ///< as it is
  int screen = 0, screenWidth = 0;
  bool maximized = false, fullScreen = false;
  bool operator==(const WindowPlace&) const = default;
};

/// "gallery", "masks" …: the names of the docks that an arrangement may hold.
const QStringList& knownDocks();

/// Throws Failure, which names the JSON path, for what is not as described above: unknown docks,
/// a dock twice, sizes that no screen has, parts that are nested too deep. Here and below.
void requireSound(const WindowLayout& layout, const std::string& path);
void requireSound(const WindowPlace& place, const std::string& path);

Json layoutToJson(const WindowLayout& layout);
WindowLayout layoutFromJson(const Json& json, const std::string& path);
Json placeToJson(const WindowPlace& place);
WindowPlace placeFromJson(const Json& json, const std::string& path);

}  // namespace headlight
