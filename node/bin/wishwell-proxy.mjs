#!/usr/bin/env node
import { main } from "../dist/serve.js";

main(process.env);
