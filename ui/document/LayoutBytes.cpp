// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/LayoutBytes.h"

#include <QDataStream>
#include <QIODevice>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

namespace headlight {
namespace {

// Qt's own marks; it reads what its earlier versions wrote, so they stay.
constexpr qint32 kState = 0xff;
constexpr qint32 kStateVersion = 0;
constexpr uchar kDockAreas = 0xfd, kSequence = 0xfc, kWidget = 0xfb, kTabs = 0xfa;
constexpr uchar kShown = 1, kFloats = 2;
constexpr quint32 kGeometry = 0x1D9D0CB;
constexpr quint16 kGeometryVersion = 3;

constexpr int kFarthest = 65535;  ///< pixels
constexpr int kMostItems = 64;
constexpr int kDeepestGroup = 8;
constexpr auto kStreamVersion = QDataStream::Qt_5_0;

const QString& dockPrefix() {
  static const QString prefix = QStringLiteral("dock.");
  return prefix;
}

/// In Qt's order.
constexpr std::array kSides{Qt::LeftDockWidgetArea, Qt::RightDockWidgetArea, Qt::TopDockWidgetArea,
                            Qt::BottomDockWidgetArea};

[[noreturn]] void refuseBytes(const std::string& path) {
  throw Failure({ErrorCode::InvalidConfig, "is not an arrangement of this window's docks", path});
}

/// Before it is reckoned with: a rectangle of wild numbers has no width.
void requireOnScreens(int number, const std::string& path) {
  if (std::abs(static_cast<std::int64_t>(number)) > kFarthest) refuseBytes(path);
}

class StateReader {
 public:
  StateReader(const QByteArray& bytes, const std::string& path) : m_stream(bytes), m_path(path) {
    m_stream.setVersion(kStreamVersion);
  }

  WindowLayout layout() {
    if (take<qint32>() != kState || take<qint32>() != kStateVersion || take<uchar>() != kDockAreas)
      refuseBytes(m_path);
    WindowLayout layout;
    for (int left = count(static_cast<int>(kSides.size())); left > 0; --left)
      if (LayoutArea read = area(); !read.docks.parts.empty()) layout.areas.push_back(read);
    layout.center = take<QSize>();
    return layout;
  }
  /// The position of the next byte.
  qint64 place() const { return m_stream.device()->pos(); }

 private:
  template <typename T>
  T take() {
    T value{};
    m_stream >> value;
    if (m_stream.status() != QDataStream::Ok) refuseBytes(m_path);
    return value;
  }
  int count(int most) {
    const auto number = take<qint32>();
    if (number < 0 || number > most) refuseBytes(m_path);
    return number;
  }
  void pass(int numbers) {
    while (numbers-- > 0)
      take<qint32>();
  }

  /// A row where Qt keeps a column, or tabs, becomes the one part of what Qt keeps.
  LayoutArea area() {
    const auto side = kSides[static_cast<std::size_t>(count(kSides.size() - 1))];
    LayoutArea area{side, take<QSize>(), {}};
    LayoutPart read = group(0);
    const bool upright = side == Qt::LeftDockWidgetArea || side == Qt::RightDockWidgetArea;
    const auto kind = upright ? LayoutPart::Kind::Column : LayoutPart::Kind::Row;
    if (read.kind == kind || read.parts.empty()) {
      area.docks = std::move(read);
    } else {
      area.docks.kind = kind;
      area.docks.parts.push_back(std::move(read));
    }
    return area;
  }

  LayoutPart group(int depth) {
    if (depth > kDeepestGroup) refuseBytes(m_path);
    const auto mark = take<uchar>();
    if (mark != kSequence && mark != kTabs) refuseBytes(m_path);
    const int current = mark == kTabs ? take<qint32>() : -1;
    const auto direction = take<uchar>();
    if (direction != Qt::Horizontal && direction != Qt::Vertical) refuseBytes(m_path);
    LayoutPart part;
    part.kind = mark == kTabs                 ? LayoutPart::Kind::Tabs
                : direction == Qt::Horizontal ? LayoutPart::Kind::Row
                                              : LayoutPart::Kind::Column;
    const int items = count(kMostItems);
    for (int i = 0; i < items; ++i) {
      LayoutPart inner = item(depth);
      if (i == current) part.current = inner.dock;
      const bool isEmpty = inner.kind != LayoutPart::Kind::Dock && inner.parts.empty();
      if (!isEmpty) part.parts.push_back(std::move(inner));
    }
    return part;
  }

  LayoutPart item(int depth) {
    const auto mark = take<uchar>();
    if (mark == kWidget) return dock();
    if (mark != kSequence) refuseBytes(m_path);
    take<qint32>();  // where it begins, which follows from the sizes
    const int size = take<qint32>();
    pass(2);  // its smallest and largest size, which Qt does not read either
    LayoutPart part = group(depth + 1);
    part.size = size;
    return part;
  }

  LayoutPart dock() {
    LayoutPart part;
    const auto name = take<QString>();
    if (!name.startsWith(dockPrefix())) refuseBytes(m_path);
    part.dock = name.mid(dockPrefix().size());
    const auto flags = take<uchar>();
    part.visible = (flags & kShown) != 0;
    const int first = take<qint32>(), second = take<qint32>();
    const int third = take<qint32>(), fourth = take<qint32>();
    if ((flags & kFloats) == 0) {
      part.size = second;
    } else {
      for (const int number : {first, second, third, fourth})
        requireOnScreens(number, m_path);
      part.floating = QRect(first, second, third, fourth);
    }
    return part;
  }

  QDataStream m_stream;
  std::string m_path;
};

class StateWriter {
 public:
  explicit StateWriter(QByteArray* bytes) : m_stream(bytes, QIODevice::WriteOnly) {
    m_stream.setVersion(kStreamVersion);
  }

  void write(const WindowLayout& layout) {
    m_stream << kState << kStateVersion << kDockAreas << qint32(layout.areas.size());
    for (std::size_t side = 0; side < kSides.size(); ++side)
      for (const LayoutArea& area : layout.areas) {
        if (area.area != kSides[side]) continue;
        m_stream << qint32(side) << area.size;
        write(area.docks, Qt::Vertical);
      }
    m_stream << layout.center;
  }

 private:
  /// Tabs have the direction of what they are in.
  void write(const LayoutPart& group, Qt::Orientation around) {
    const bool tabs = group.kind == LayoutPart::Kind::Tabs;
    const auto direction = tabs                                  ? around
                           : group.kind == LayoutPart::Kind::Row ? Qt::Horizontal
                                                                 : Qt::Vertical;
    m_stream << (tabs ? kTabs : kSequence);
    if (tabs) m_stream << qint32(currentOf(group));
    m_stream << uchar(direction) << qint32(group.parts.size());
    int begin = 0;
    for (const LayoutPart& part : group.parts) {
      writeItem(part, direction, begin);
      begin += std::max(part.size, 0);
    }
  }
  void writeItem(const LayoutPart& part, Qt::Orientation direction, int begin) {
    if (part.kind == LayoutPart::Kind::Dock) {
      m_stream << kWidget << dockPrefix() + part.dock
               << uchar((part.visible ? kShown : 0) | (part.floating ? kFloats : 0));
      if (const auto& place = part.floating)
        m_stream << qint32(place->x()) << qint32(place->y()) << qint32(place->width())
                 << qint32(place->height());
      else
        m_stream << qint32(begin) << qint32(part.size) << qint32(0) << qint32(0);
      return;
    }
    m_stream << kSequence << qint32(begin) << qint32(part.size) << qint32(0) << qint32(0);
    write(part, direction);
  }
  /// A tab can be in front only where it is shown here.
  static int currentOf(const LayoutPart& tabs) {
    for (std::size_t i = 0; i < tabs.parts.size(); ++i) {
      const LayoutPart& part = tabs.parts[i];
      if (part.dock == tabs.current && part.visible && !part.floating) return static_cast<int>(i);
    }
    return -1;
  }

  QDataStream m_stream;
};

bool holds(const LayoutPart& part, const QString& dock) {
  if (part.kind == LayoutPart::Kind::Dock) return part.dock == dock;
  return std::any_of(part.parts.begin(), part.parts.end(),
                     [&](const LayoutPart& inner) { return holds(inner, dock); });
}

LayoutArea& rightArea(WindowLayout& layout) {
  for (LayoutArea& area : layout.areas)
    if (area.area == Qt::RightDockWidgetArea) return area;
  LayoutArea area{Qt::RightDockWidgetArea, {0, 0}, {}};
  area.docks.kind = LayoutPart::Kind::Column;
  layout.areas.push_back(area);
  return layout.areas.back();
}

WindowLayout completed(WindowLayout layout) {
  for (const QString& dock : knownDocks()) {
    const bool isThere =
        std::any_of(layout.areas.begin(), layout.areas.end(),
                    [&](const LayoutArea& area) { return holds(area.docks, dock); });
    if (isThere) continue;
    LayoutPart part;
    part.dock = dock;
    part.visible = false;
    rightArea(layout).docks.parts.push_back(part);
  }
  return layout;
}

}  // namespace

WindowLayout layoutFromBytes(const QByteArray& bytes, const std::string& path) {
  WindowLayout layout = StateReader(bytes, path).layout();
  requireSound(layout, path);
  return layout;
}

QByteArray layoutToBytes(const WindowLayout& layout, const QByteArray& present) {
  StateReader reader(present, "the window");
  static_cast<void>(reader.layout());
  QByteArray bytes;
  StateWriter(&bytes).write(completed(layout));
  return bytes + present.mid(reader.place());
}

WindowPlace placeFromBytes(const QByteArray& bytes, const std::string& path) {
  QDataStream stream(bytes);
  stream.setVersion(QDataStream::Qt_4_0);
  const auto rect = [&] {
    std::array<qint32, 4> corners{};  // left, top, right, bottom
    for (qint32& corner : corners) {
      stream >> corner;
      requireOnScreens(corner, path);
    }
    return QRect(QPoint(corners[0], corners[1]), QPoint(corners[2], corners[3]));
  };
  quint32 mark = 0;
  quint16 version = 0, minor = 0;
  qint32 screen = 0, screenWidth = 0;
  quint8 maximized = 0, fullScreen = 0;
  stream >> mark >> version >> minor;
  WindowPlace place;
  rect();  // with its frame
  place.normal = rect();
  stream >> screen >> maximized >> fullScreen >> screenWidth;
  place.shown = rect();
  if (stream.status() != QDataStream::Ok || mark != kGeometry || version != kGeometryVersion)
    throw Failure({ErrorCode::InvalidConfig, "is not a window position", path});
  place.screen = screen;
  place.screenWidth = screenWidth;
  place.maximized = maximized != 0;
  place.fullScreen = fullScreen != 0;
  requireSound(place, path);
  return place;
}

QByteArray placeToBytes(const WindowPlace& place) {
  QByteArray bytes;
  QDataStream stream(&bytes, QIODevice::WriteOnly);
  stream.setVersion(QDataStream::Qt_4_0);
  stream << kGeometry << kGeometryVersion << quint16(0) << place.shown << place.normal
         << qint32(place.screen) << quint8(place.maximized) << quint8(place.fullScreen)
         << qint32(place.screenWidth) << place.shown;
  return bytes;
}

}  // namespace headlight
