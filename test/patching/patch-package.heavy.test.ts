import { wholeByPatchPackage } from "./patch-package-cases.ts";

wholeByPatchPackage("2026.9.6");
