#pragma once
// Films that programs write.

#include "core/imaging/FilmFile.h"
