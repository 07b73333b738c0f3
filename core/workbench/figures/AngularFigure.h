// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What AngularKernels.h and AngularFit.h give, drawn: the same in the window and in what commands
// write. No torch type here.

#include <filesystem>
#include <string>
#include <vector>

#include "core/imaging/drawing/CurvePlot.h"
#include "core/workbench/mechanisms/AngularFit.h"
#include "core/workbench/mechanisms/AngularKernels.h"

namespace headlight {

/// Curves over the angle in degrees, 0 to 180, with an axis of their own. Names are words: a PDF
/// has no Greek letters.
struct AnglePanel {
  std::string quantity;  ///< at the axis
  std::vector<PlottedCurve> curves;
  /// For each curve, by which its values were divided; 1 where they are as they are.
  std::vector<double> scales;
};

/// Eq. 8: the angular kernel, its linear terms, the residual and the first `terms` of the series.
AnglePanel expansionPanel(int terms);
/// Table 5: each kernel divided by its largest absolute value; without a table, those of the angle
/// alone. Measured ones are means over the pairs of a bin, with their deviation.
AnglePanel kernelsPanel(const AngleTable* table);
/// How many of an image's pairs have which angle, in % of them a degree, and of one token's.
AnglePanel imagePanel(const AngleTable& table);

/// "1.4 million pairs, mean angle 78.2° ± 12.0°; pairs within windows".
std::string anglesText(const AngleTable& table);

/// panel,line,degrees,value,deviation,scale: values as they are, before they were divided by
/// `scale`. `table` may be null.
std::string anglesCsv(int terms, const AngleTable* table);
/// The panels one below the other. `subject`: of what ("bus.jpg, deit_tiny"); may be empty.
Drawing anglesDrawing(int terms, const AngleTable* table, const std::string& subject);
/// .pdf, .svg or .png, or the numbers as .csv. Errors: another name, a file that cannot be written.
Result<void> writeAngles(const std::filesystem::path& path, int terms, const AngleTable* table,
                         const std::string& subject);

/// Drawings of one width as one.
Drawing oneBelowTheOther(const std::vector<Drawing>& parts);

/// 1 − θ/π, its linear terms and the fit over the angle in degrees.
AnglePanel fitPanel(const AngularFit& fit);
/// log10 of the mean squared error over the steps, which are to be shown on a logarithmic axis.
AnglePanel lossPanel(const AngularFit& fit);
/// What is learned of the lowest and the highest frequencies, in words.
std::string fitText(const AngularFit& fit);
/// part,line,x,value: the curves over degrees, the loss and the error of every frequency over
/// steps.
std::string fitCsv(const AngularFit& fit);
/// The three parts of Fig. 7 one below the other, errors from 0 (dark) to 1 and above (bright).
Drawing fitDrawing(const AngularFit& fit);
Result<void> writeFit(const std::filesystem::path& path, const AngularFit& fit);

}  // namespace headlight
