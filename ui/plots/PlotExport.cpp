// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/PlotExport.h"

#include <QBuffer>
#include <QFileInfo>
#include <QPageSize>
#include <QPdfWriter>
#include <QSvgGenerator>

#include <cmath>

#include "core/base/files/Files.h"
#include "ui/base/Theme.h"
#include "ui/plots/PlotReading.h"
#include "ui/plots/Plotting.h"

namespace headlight {
namespace {

constexpr int kPlotDpi = 96;
constexpr double kPlotPngScale = 2;
constexpr int kPlotDigits = 9;  ///< enough for every float

/// While it lives, the plot is drawn in the light theme's colors: the widget that the plot belongs
/// to gives it others as its palette changes.
class OnWhite {
 public:
  explicit OnWhite(QCustomPlot& plot) : m_owner(plot.parentWidget()) {
    if (m_owner) m_owner->setPalette(lightPalette());
  }
  ~OnWhite() {
    if (m_owner) m_owner->setPalette(QPalette());
  }
  Q_DISABLE_COPY_MOVE(OnWhite)

 private:
  QWidget* m_owner;
};

QString cellText(QString text) {
  if (!text.contains(QLatin1Char(',')) && !text.contains(QLatin1Char('"')) &&
      !text.contains(QLatin1Char('\n')))
    return text;
  return QLatin1Char('"') + text.replace(QLatin1Char('"'), QStringLiteral("\"\"")) +
         QLatin1Char('"');
}

QString rowText(const QStringList& cells) {
  QStringList texts;
  for (const QString& cell : cells)
    texts << cellText(cell);
  return texts.join(QLatin1Char(',')) + QLatin1Char('\n');
}

QString number(double value) {
  return QString::number(value, 'g', kPlotDigits);
}

QString mapData(QCPColorMap& map) {
  QString text = rowText({map.keyAxis()->label(), map.valueAxis()->label(), map.name()});
  QCPColorMapData* data = map.data();
  for (int row = 0; row < data->valueSize(); ++row)
    for (int column = 0; column < data->keySize(); ++column)
      if (const double value = data->cell(column, row); std::isfinite(value))
        text += rowText({QString::number(column), QString::number(row), number(value)});
  return text;
}

QString graphData(const QCPGraph& graph) {
  QString text;
  for (const QCPGraphData& sample : *graph.data())
    if (std::isfinite(sample.value))
      text += rowText({graph.name(), number(sample.key), number(sample.value)});
  return text;
}

void draw(QCustomPlot& plot, QPaintDevice* device) {
  QCPPainter painter;
  if (!painter.begin(device))
    throw Failure({ErrorCode::Internal, "the plot could not be drawn", ""});
  painter.setMode(QCPPainter::pmVectorized);
  painter.setMode(QCPPainter::pmNoCaching);
  plot.toPainter(&painter, plot.width(), plot.height());
  painter.end();
}

QByteArray asPng(QCustomPlot& plot) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  plot.toPixmap(plot.width(), plot.height(), kPlotPngScale).toImage().save(&buffer, "PNG");
  return bytes;
}

QByteArray asSvg(QCustomPlot& plot) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setResolution(kPlotDpi);
  generator.setSize(plot.size());
  generator.setViewBox(QRect(QPoint(0, 0), plot.size()));
  generator.setTitle(plot.accessibleName());
  draw(plot, &generator);
  return bytes;
}

QByteArray asPdf(QCustomPlot& plot) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  {
    QPdfWriter writer(&buffer);
    writer.setTitle(plot.accessibleName());
    writer.setCreator(QStringLiteral("Headlight"));
    writer.setResolution(kPlotDpi);
    writer.setPageSize(QPageSize(QSizeF(plot.size()) * 72 / kPlotDpi, QPageSize::Point, {},
                                 QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    draw(plot, &writer);
  }
  return bytes;
}

}  // namespace

QString plotData(QCustomPlot& plot) {
  for (int i = 0; i < plot.plottableCount(); ++i)
    if (auto* map = qobject_cast<QCPColorMap*>(plot.plottable(i))) return mapData(*map);
  QString text;
  for (int i = 0; i < plot.graphCount(); ++i) {
    const QCPGraph* graph = plot.graph(i);
    if (isLeftOut(graph)) continue;
    if (text.isEmpty())
      text = rowText({QStringLiteral("line"), graph->keyAxis()->label(), QStringLiteral("value")});
    text += graphData(*graph);
  }
  return text;
}

Result<void> writePlot(QCustomPlot& plot, const QString& path) {
  const QString suffix = QFileInfo(path).suffix().toLower();
  return guarded(path.toStdString(), [&]() -> Result<void> {
    QByteArray bytes;
    if (suffix == QStringLiteral("csv")) {
      bytes = plotData(plot).toUtf8();
    } else {
      const OnWhite colors(plot);
      if (suffix == QStringLiteral("png"))
        bytes = asPng(plot);
      else if (suffix == QStringLiteral("svg"))
        bytes = asSvg(plot);
      else if (suffix == QStringLiteral("pdf"))
        bytes = asPdf(plot);
      else
        return Error{ErrorCode::InvalidArgument,
                     "the file name of a plot must end in .png, .svg, .pdf or .csv",
                     path.toStdString()};
    }
    return writeFileAtomically(
        std::filesystem::path(path.toStdU16String()),
        std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
  });
}

}  // namespace headlight
